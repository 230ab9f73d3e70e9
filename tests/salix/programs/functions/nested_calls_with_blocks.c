// returns 0: calls with more than five arguments inside arguments of such calls
static int f(int a, int b, int c, int d, int e, int g, int h) { return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * g + 7 * h; }
static int g(int a, int b, int c, int d, int e, int x)
{
    return f(a, f(1, 1, 1, 1, 1, 1, 1), b, f(c, d, e, x, 0, 0, 0), 1, f(0, 0, 0, 0, 0, 0, x), f(x, 0, 0, 0, 0, 0, 1));
}
int main(void)
{
    return g(1, 2, 3, 4, 5, 6) == 1 + 2 * 28 + 3 * 2 + 4 * (3 + 8 + 15 + 24) + 5 + 6 * 42 + 7 * 13 ? 0 : 1;
}
