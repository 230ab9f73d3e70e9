// returns 0: an expression that needs more values at once than there are registers
static int id(int x) { return x; }
int main(void)
{
    volatile int a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, i = 9, j = 10, k = 11, l = 12;
    int deep = ((a + b) * (c + d) - (e + f) * (g + h)) * ((i + j) * (k + l) - (a + c) * (e + g));
    if (deep != (21 - 165) * (437 - 48)) return 1;
    int right = a + (b + (c + (d + (e + (f + (g + (h + (i + (j + (k + l))))))))));
    if (right != 78) return 2;
    int calls = id(a) + id(b) * (id(c) + id(d) * (id(e) + id(f) * (id(g) + id(h) * (id(i) + id(j)))));
    if (calls != 1 + 2 * (3 + 4 * (5 + 6 * (7 + 8 * 19)))) return 3;
    int shifts = a << b | c << d | e << f | g << h;
    if (shifts != (4 | 48 | 320 | 1792)) return 4;
    return 0;
}
