// returns 0: compound literals inside compound literals
struct in { int a[2]; };
struct out { struct in *p; struct in v; int n; };
static int eval(struct out o) { return o.p->a[0] * 100 + o.v.a[1] * 10 + o.n; }
int main(void)
{
    int r = eval((struct out){&(struct in){{1, 2}}, (struct in){{3, 4}}, ((struct in){{5, 6}}).a[1]});
    return r == 146 ? 0 : 1;
}
