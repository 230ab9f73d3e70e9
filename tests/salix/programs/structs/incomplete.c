// returns 0: structs that name each other and are completed later
struct b;
struct a { struct b *b; int x; };
struct b { struct a *a; int y; };
struct later *pointer;
static int read(struct later *p);
struct later { int z; };
static int read(struct later *p) { return p->z; }
int main(void)
{
    struct a a = {0, 1};
    struct b b = {&a, 2};
    a.b = &b;
    struct later l = {3};
    pointer = &l;
    return a.b->a->b->y == 2 && read(pointer) == 3 ? 0 : 1;
}
