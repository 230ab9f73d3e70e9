// returns 0: a negative int divided by an unsigned is a large number
int main(void)
{
    volatile int a = -6;
    volatile unsigned b = 2;
    if (a / b != 2147483645u) return 1;
    a /= b;
    if (a != 2147483645) return 2;
    volatile long c = -6;
    if (c / b != -3) return 3;
    return 0;
}
