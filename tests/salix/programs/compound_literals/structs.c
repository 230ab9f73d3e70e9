// returns 0: compound literals of structs, passed, assigned, with computed members
struct p { int x, y; };
static int cross(struct p a, struct p b) { return a.x * b.y - a.y * b.x; }
static int through(const struct p *p) { return p->x + p->y; }
int main(void)
{
    int n = 4;
    if (cross((struct p){1, 2}, (struct p){.y = n, .x = 3}) != -2) return 1;
    if (through(&(struct p){n, n + 1}) != 9) return 2;
    struct p a;
    a = (struct p){n * 2};
    if (a.x != 8 || a.y) return 3;
    if (((struct p){5, 6}).y != 6) return 4;
    struct p *q = &(struct p){1, 1};
    q->x = 30;
    if (q->x + q->y != 31) return 5;
    return 0;
}
