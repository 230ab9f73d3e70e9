// returns 0: function pointers are compared, copied, passed, returned, and dereferenced at will
typedef int (*f)(int);
static int one(int x) { return x + 1; }
static int two(int x) { return x + 2; }
static f other(f g) { return g == one ? two : one; }
static int apply(f g, int x, int times) { while (times--) x = g(x); return x; }
int main(void)
{
    f g = one, h = &two, none = 0;
    if (g == h || g != one || h != two || none || !g) return 1;
    if (other(g) != two || other(two)(5) != 6) return 2;
    if ((*g)(1) != 2 || (**g)(1) != 2 || (***h)(1) != 3 || (&*g)(1) != 2) return 3;
    if (apply(one, 0, 5) != 5 || apply(two, 1, 3) != 7) return 4;
    f list[2] = {one, two};
    f *p = list;
    if ((*++p)(10) != 12 || (g == one ? h : g)(0) != 2) return 5;
    void *v = (void *)g;
    if (((f)v)(3) != 4) return 6;
    return 0;
}
