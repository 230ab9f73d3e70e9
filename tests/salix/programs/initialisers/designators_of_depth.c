// returns 0: designators that go through several levels
struct in { int u[3]; char v; };
struct out { int x; struct in in[2]; struct { int deep[2][2]; } s; };
int main(void)
{
    struct out o = {.in[1].u[2] = 7, .s.deep[1] = {8, 9}, .in[0] = {{1, 2}, 'c'}, .x = 4};
    if (o.x != 4 || o.in[0].u[1] != 2 || o.in[0].v != 'c' || o.in[1].u[2] != 7 || o.in[1].u[0]) return 1;
    if (o.s.deep[1][0] != 8 || o.s.deep[1][1] != 9 || o.s.deep[0][0]) return 2;
    static struct out t = {.in[0].u = {[1] = 5}, .in[0].v = 6, .s = {.deep[0][1] = 3}};
    if (t.in[0].u[1] != 5 || t.in[0].v != 6 || t.s.deep[0][1] != 3) return 3;
    return 0;
}
