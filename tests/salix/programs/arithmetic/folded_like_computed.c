// returns 0: the compiler's constants and the machine's results agree
int main(void)
{
    volatile int m = -7, n = 2;
    volatile unsigned u = 3000000000u;
    volatile long long l = -5000000000ll;
    if (-7 / 2 != m / n) return 1;
    if (-7 % 2 != m % n) return 2;
    if (-7 >> 1 != m >> (n - 1)) return 3;
    if (3000000000u * 2 != u * n) return 4;
    if (3000000000u > -7 ? !(u > m) : (u > m)) return 5;
    if (-5000000000ll / 7 != l / -m) return 6;
    if ((unsigned char)-7 != (unsigned char)m) return 7;
    if ((3000000000u << 1) != (u << (n - 1))) return 8;
    if (~3000000000u != ~u) return 9;
    if ((short)3000000000u != (short)u) return 10;
    if (-5000000000ll % 1000 != l % 1000) return 11;
    return 0;
}
