// returns 0: right shifts of negative values are arithmetic, of every width
int main(void)
{
    volatile signed char a = -128;
    volatile short b = -32768;
    volatile int c = -2147483647 - 1;
    volatile long long d = -9223372036854775807ll - 1;
    if (a >> 3 != -16) return 1;
    if (b >> 15 != -1) return 2;
    if (c >> 30 != -2) return 3;
    if (d >> 62 != -2) return 4;
    if (c >> 0 != c) return 5;
    return 0;
}
