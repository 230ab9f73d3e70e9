// returns 0: a division by a power of two is not a mere shift when the dividend is negative
int main(void)
{
    volatile int a = -9;
    volatile long b = -1;
    if (a / 2 != -4) return 1;
    if (a / 8 != -1) return 2;
    if (a % 8 != -1) return 3;
    if (b / 2 != 0) return 4;
    if (b % 4 != -1) return 5;
    if (b / -2 != 0) return 6;
    if (a / -4 != 2) return 7;
    if ((unsigned)a / 2 != 0x7ffffffbu) return 8;
    return 0;
}
