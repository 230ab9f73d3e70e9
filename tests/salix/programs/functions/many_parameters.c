// returns 0: more parameters than registers, of mixed widths
static long ten(int a, char b, long c, short d, unsigned e, int f, char g, long h, unsigned char i, int j)
{
    return a + b * 2 + c * 3 + d * 4 + (long)e * 5 + f * 6 + g * 7 + h * 8 + i * 9 + j * 10;
}
static int six(int a, int b, int c, int d, int e, int f) { return a * 100000 + b * 10000 + c * 1000 + d * 100 + e * 10 + f; }
static int seven(int a, int b, int c, int d, int e, int *f, int *g) { int t = *f; *f = *g; *g = t; return a + b + c + d + e; }
int main(void)
{
    int x = 1, y = 2;
    if (ten(-1, -2, -3, -4, 5, -6, -7, -8, 255, -10) != -1 - 4 - 9 - 16 + 25 - 36 - 49 - 64 + 2295 - 100) return 1;
    if (six(1, 2, 3, 4, 5, 6) != 123456) return 2;
    if (seven(1, 2, 3, 4, 5, &x, &y) != 15 || x != 2 || y != 1) return 3;
    if (six(six(0, 0, 0, 0, 0, 1), 2, 3, six(0, 0, 0, 0, 0, 4), 5, six(0, 0, 0, 0, 0, 6)) != 123456) return 4;
    return 0;
}
