// returns 0: indices are signed, and an index may come first
int main(void)
{
    int a[5] = {10, 20, 30, 40, 50}, *p = a + 2;
    volatile signed char c = -2;
    volatile long l = -1;
    volatile unsigned char u = 2;
    if (p[-1] != 20 || p[c] != 10 || p[l] != 20 || p[u] != 50) return 1;
    if (2[a] != 30 || (-1)[p] != 20) return 2;
    if (*(p - 2) != 10 || *(2 + p) != 50) return 3;
    return 0;
}
