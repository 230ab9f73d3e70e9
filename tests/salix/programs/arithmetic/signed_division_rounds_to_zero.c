// returns 0: signed quotients lose their fraction, remainders take the sign of the dividend
int main(void)
{
    volatile int a = -17, b = 5;
    volatile long c = -17, d = 5;
    if (a / b != -3 || a % b != -2) return 1;
    if (-a / b != 3 || -a % b != 2) return 2;
    if (a / -b != 3 || a % -b != -2) return 3;
    if (c / d != -3 || c % d != -2) return 4;
    if (c / -d != 3 || c % -d != -2) return 5;
    if ((a / b) * b + a % b != a) return 6;
    return 0;
}
