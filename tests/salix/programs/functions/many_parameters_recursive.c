// returns 0: recursion with eight parameters, each call its own
static int f(int n, int a, int b, int c, int d, int e, int g, int h)
{
    if (n == 0) return a + b + c + d + e + g + h;
    int r = f(n - 1, b, c, d, e, g, h, a);
    return r + a * n + h;
}
int main(void)
{
    int r = f(4, 1, 2, 3, 4, 5, 6, 7);
    int a[7] = {1, 2, 3, 4, 5, 6, 7}, expected = 28;
    for (int n = 4, i = 0; n > 0; n--, i++) expected += a[i % 7] * n + a[(i + 6) % 7];
    return r == expected ? 0 : 1;
}
