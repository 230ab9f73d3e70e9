// returns 0: copying a struct leaves what lies beside it alone
struct three { char c[3]; };
struct box { char before; struct three t; char after; };
int main(void)
{
    struct box b = {1, {{2, 3, 4}}, 5};
    struct three t = {{7, 8, 9}};
    b.t = t;
    if (b.before != 1 || b.after != 5 || b.t.c[0] != 7 || b.t.c[2] != 9) return 1;
    struct three a[3] = {{{1, 1, 1}}, {{2, 2, 2}}, {{3, 3, 3}}};
    a[1] = t;
    if (a[0].c[2] != 1 || a[2].c[0] != 3) return 2;
    return 0;
}
