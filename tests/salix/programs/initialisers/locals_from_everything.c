// returns 0: locals initialised by calls, other locals, conditions, casts, compound literals
struct p { int a; long b; };
static int f(int x) { return x + 1; }
static struct p make(int a) { return (struct p){a, -a}; }
int main(void)
{
    int a = f(1), b[3] = {a, f(a), a ? f(f(a)) : 0}, *c = &b[a - 1];
    struct p p = make(a), q = p, r = {.b = p.b * 2, .a = f(q.a)}, list[] = {p, {f(1)}, make(9)};
    char text[] = {'a' + a, 'b', 0}, (*d)[3] = &text;
    unsigned char u = a - 3;
    const char *s = (char[]){'x', 'y', 0};
    if (b[1] != 3 || b[2] != 4 || *c != 3 || r.b != -4 || r.a != 3 || list[1].a != 2 || list[1].b) return 1;
    return list[2].b == -9 && (*d)[0] == 'c' && u == 255 && s[1] == 'y' && sizeof list == 48 ? 0 : 2;
}
