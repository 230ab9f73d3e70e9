// returns 0: unsigned arithmetic is modulo a power of two
int main(void)
{
    volatile unsigned zero = 0;
    volatile unsigned long long wide = 0;
    if (zero - 1 != 4294967295u) return 1;
    if (zero - 1 + 2 != 1) return 2;
    if (4294967295u * (zero + 3) != 4294967293u) return 3;
    if (wide - 1 != 18446744073709551615ull) return 4;
    if ((wide - 1) * (wide - 1) != 1) return 5;
    if (zero - 1 > 0x7fffffffu ? 0 : 1) return 6;
    return 0;
}
