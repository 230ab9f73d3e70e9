// returns 0: a copy does not follow its original, arrays inside are copied too
struct s { int a[3]; struct { int x; } in; int *p; };
int main(void)
{
    int x = 1;
    struct s a = {{1, 2, 3}, {4}, &x}, b = a, c;
    a.a[1] = 20;
    a.in.x = 40;
    if (b.a[1] != 2 || b.in.x != 4 || b.p != &x) return 1;
    c = b = a;
    if (b.a[1] != 20 || c.in.x != 40) return 2;
    struct s *p = &c, list[2];
    list[1] = *p;
    *p = list[1];
    if (list[1].a[2] != 3) return 3;
    (c = a).in.x;
    return 0;
}
