// returns 0: negative int results are negative as long, in sums, shifts and calls
static long widen(long value) { return value; }
static int negate(int value) { return -value; }
int main(void)
{
    volatile int a = -5, b = 3;
    long sum = a + b;
    if (sum != -2) return 1;
    if (widen(a - b) != -8) return 2;
    if (widen(negate(7)) != -7) return 3;
    if (widen(a >> 1) != -3) return 4;
    if (widen(a) + widen(b) != -2) return 5;
    if (widen(~b) != -4) return 6;
    return 0;
}
