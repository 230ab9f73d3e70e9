// returns 0: the macros from which freestanding headers are made
typedef __INT8_TYPE__ int8;
typedef __UINT16_TYPE__ uint16;
typedef __INT32_TYPE__ int32;
typedef __UINT64_TYPE__ uint64;
typedef __SIZE_TYPE__ size;
typedef __PTRDIFF_TYPE__ difference;
typedef __INTPTR_TYPE__ pointer;
int main(void)
{
    if (sizeof(int8) != 1 || sizeof(uint16) != 2 || sizeof(int32) != 4 || sizeof(uint64) != 8) return 1;
    if (sizeof(size) != 8 || sizeof(difference) != 8 || sizeof(pointer) != 8 || (size)-1 < 0 || (difference)-1 > 0) return 2;
    if (__INT_MAX__ != 2147483647 || __LONG_MAX__ != 9223372036854775807 || __CHAR_BIT__ != 8) return 3;
    if (__SIZEOF_INT__ != 4 || __SIZEOF_LONG__ != 8 || __SIZEOF_POINTER__ != 8) return 4;
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    return 5;
#endif
    return 0;
}
