// returns 0: stores of each width change only their bytes
int main(void)
{
    union { unsigned long long whole; unsigned char bytes[8]; unsigned short halves[4]; unsigned words[2]; } u;
    u.whole = 0;
    u.bytes[1] = 0x1ff;
    if (u.whole != 0xff00) return 1;
    u.halves[1] = 0x12345;
    if (u.whole != 0x2345ff00) return 2;
    u.words[1] = -1;
    if (u.whole != 0xffffffff2345ff00ull) return 3;
    *((signed char *)&u + 7) = 0x7f;
    if (u.whole != 0x7fffffff2345ff00ull) return 4;
    return 0;
}
