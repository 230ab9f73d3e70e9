// returns 0: pointers to functions of different types, with structs and many parameters
struct p { int x, y; };
static struct p make(int x, int y) { struct p p = {x, y}; return p; }
static int sum(struct p p) { return p.x + p.y; }
static long wide(int a, long b, int c, int d, int e, int f, long g) { return a + b + c + d + e + f + g; }
static void set(int *p) { *p = 9; }
int main(void)
{
    struct p (*a)(int, int) = make;
    int (*b)(struct p) = sum;
    long (*c)(int, long, int, int, int, int, long) = wide;
    void (*d)(int *) = set;
    int x = 0;
    d(&x);
    if (b(a(3, 4)) != 7 || c(1, 2, 3, 4, 5, 6, 1ll << 40) != 21 + (1ll << 40) || x != 9) return 1;
    return a(1, 2).y - 2;
}
