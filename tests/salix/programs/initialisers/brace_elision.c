// returns 0: inner braces may be left out
struct s { int a[2]; struct { char b; short c; } d; int e; };
static struct s x = {1, 2, 3, 4, 5}, y = {{1}, {2}, 3}, list[2] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
static int m[2][3] = {1, 2, 3, 4}, n[2][2] = {{1}, 2, 3};
int main(void)
{
    if (x.a[1] != 2 || x.d.b != 3 || x.d.c != 4 || x.e != 5) return 1;
    if (y.a[0] != 1 || y.a[1] || y.d.b != 2 || y.d.c || y.e != 3) return 2;
    if (list[1].a[0] != 6 || list[1].d.c != 9 || list[1].e != 10) return 3;
    if (m[0][2] != 3 || m[1][0] != 4 || m[1][1] || n[0][0] != 1 || n[0][1] || n[1][0] != 2 || n[1][1] != 3) return 4;
    return 0;
}
