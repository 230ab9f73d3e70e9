// returns 0: pointer arithmetic is in elements
struct s { long a, b, c; };
int main(void)
{
    struct s a[4], *p = a, *q = a + 3;
    char c[4], *r = c;
    short h[4], *t = h;
    if (q - p != 3 || p - q != -3 || (char *)q - (char *)p != 72) return 1;
    p += 2;
    if (p != &a[2] || p - 1 != &a[1] || p++ != &a[2] || p != q) return 2;
    p -= 3;
    if (p != a) return 3;
    if ((char *)(r + 1) - c != 1 || (char *)(t + 1) - (char *)h != 2) return 4;
    volatile int minus = -1;
    volatile unsigned two = 2;
    if (q + minus != a + 2 || q - two != a + 1) return 5;
    if (&p[1] != p + 1 || &1[p] != p + 1) return 6;
    return 0;
}
