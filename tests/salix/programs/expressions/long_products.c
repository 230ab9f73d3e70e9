// returns 0: products whose operands have to be widened first
int main(void)
{
    volatile int a = 100000, b = 100000;
    volatile unsigned c = 3000000000u;
    if ((long)a * b != 10000000000) return 1;
    if (1l * a * b != 10000000000 || a * 1ll * b / 100000 != 100000) return 2;
    if ((unsigned long)c * c != 9000000000000000000ul || c * c != 3000000000u * 3000000000u) return 3;
    if ((long)(c * 2) != 1705032704 || (long)c * 2 != 6000000000) return 4;
    return 0;
}
