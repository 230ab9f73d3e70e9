// returns 0: structs of several sizes among more than five arguments, by value
struct a { char c; };
struct b { int x[5]; };
struct c { long l; short s; };
static long f(struct a a, int i, struct b b, long l, struct c c, char k, struct a z)
{
    a.c++;
    b.x[4]++;
    c.l++;
    return a.c + i * 10 + b.x[4] * 100 + l * 1000 + c.l * 10000 + c.s * 100000 + k * 1000000 + z.c * 10000000l;
}
int main(void)
{
    struct a a = {1};
    struct b b = {{0, 0, 0, 0, 2}};
    struct c c = {3, 4};
    long r = f(a, 5, b, 6, c, 7, (struct a){8});
    if (r != 2 + 50 + 300 + 6000 + 40000 + 400000 + 7000000 + 80000000) return 1;
    return a.c == 1 && b.x[4] == 2 && c.l == 3 ? 0 : 2;
}
