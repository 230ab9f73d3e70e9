// returns 0: a struct argument is the callee's own copy
struct small { char a; };
struct pair { int a, b; };
struct big { long v[10]; };
static int one(struct small s) { return s.a++; }
static int two(struct pair p) { p.a += 100; return p.a + p.b; }
static long ten(struct big b) { long s = 0; for (int i = 0; i < 10; i++) s += b.v[i], b.v[i] = 0; return s; }
static long mixed(int x, struct pair p, char c, struct big b, struct small s) { return x + p.b + c + b.v[9] + s.a; }
int main(void)
{
    struct small s = {3};
    struct pair p = {1, 2};
    struct big b;
    for (int i = 0; i < 10; i++) b.v[i] = i;
    if (one(s) != 3 || s.a != 3) return 1;
    if (two(p) != 103 || p.a != 1) return 2;
    if (ten(b) != 45 || ten(b) != 45) return 3;
    if (mixed(1, p, 2, b, s) != 17) return 4;
    return 0;
}
