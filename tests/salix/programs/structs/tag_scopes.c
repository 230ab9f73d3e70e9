// returns 0: a tag in an inner scope is another type
struct t { int a; };
int main(void)
{
    struct t outer = {1};
    {
        struct t;
        struct holder { struct t *p; };
        struct t { char c[20]; };
        if (sizeof(struct t) != 20) return 1;
        struct t in = {"x"};
        struct holder h = {&in};
        if (h.p->c[0] != 'x') return 2;
    }
    if (sizeof(struct t) != 4 || outer.a != 1) return 3;
    struct u { struct v { int x; } v; };
    struct v w = {5};
    return w.x - 5;
}
