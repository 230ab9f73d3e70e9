// returns 0: nothing unsigned is below zero, and everything is at least zero
int main(void)
{
    volatile unsigned u = 0xffffffffu;
    volatile unsigned char c = 255;
    volatile int i = -1;
    if (u < 0) return 1;
    if (!(u >= 0)) return 2;
    if (c < 0) return 3;
    if (!(i < 0)) return 4;
    if (i >= 0u ? 0 : 1) return 5;
    if (u <= 0) return 6;
    return 0;
}
