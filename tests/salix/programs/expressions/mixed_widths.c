// returns 0: operands of four widths in one expression
int main(void)
{
    volatile signed char c = -100;
    volatile unsigned short s = 60000;
    volatile int i = -2000000000;
    volatile unsigned long l = 5000000000ul;
    if (c + s != 59900 || c * s != -6000000 || i / c != 20000000) return 1;
    if (i + l != 3000000000ul || (c + l) * 2 != 9999999800ul) return 2;
    if (s * c + (long)i != -2006000000 || (c < s) + (i < (long)l) + (i > l) != 3) return 3;
    if ((c ^ s) != (-100 ^ 60000) || (i & l) != (18446744071709551616ul & 5000000000ul)) return 4;
    return 0;
}
