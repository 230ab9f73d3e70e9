// returns 0: builtins that count bits and swap bytes
int main(void)
{
    volatile unsigned u = 0x00f0;
    volatile unsigned long l = 1ul << 40;
    if (__builtin_popcount(u) != 4 || __builtin_ctz(u) != 4 || __builtin_clz(u) != 24) return 1;
    if (__builtin_ctzl(l) != 40 || __builtin_clzl(l) != 23 || __builtin_popcountl(l - 1) != 40) return 2;
    if (__builtin_bswap32(0x11223344) != 0x44332211 || __builtin_bswap16(0x1122) != 0x2211) return 3;
    return __builtin_bswap64(0x1122334455667788) == 0x8877665544332211 && __builtin_ffs(u) == 5 ? 0 : 4;
}
