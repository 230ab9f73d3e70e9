// returns 0: a struct value initialises a whole member, a scalar its first part
struct p { int x, y; };
struct q { struct p a, b; int z; };
static struct p make(int x) { return (struct p){x, x + 1}; }
int main(void)
{
    struct p p = {7, 8};
    struct q q = {p, 1, 2, 3};
    struct q r = {1, 2, p, 4};
    struct q s = {make(5), p};
    struct p list[3] = {p, 3, 4, make(9)};
    if (q.a.y != 8 || q.b.x != 1 || q.z != 3) return 1;
    if (r.a.y != 2 || r.b.x != 7 || r.z != 4) return 2;
    if (s.a.y != 6 || s.b.y != 8 || s.z) return 3;
    if (list[1].y != 4 || list[2].x != 9 || list[0].x != 7) return 4;
    return 0;
}
