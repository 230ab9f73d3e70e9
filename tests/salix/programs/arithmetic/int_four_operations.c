// returns 0: the four operations and remainder on int
int main(void)
{
    volatile int seven = 7, minus = -3;
    if (seven + minus != 4) return 1;
    if (seven - minus != 10) return 2;
    if (seven * minus != -21) return 3;
    if (seven / minus != -2) return 4;
    if (seven % minus != 1) return 5;
    if (-seven / -minus != -2) return 6;
    if (-seven % 3 != -1) return 7;
    return 0;
}
