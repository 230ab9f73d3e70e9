// returns 0: structs of all sizes come back from functions
struct one { char c; };
struct three { char c[3]; };
struct pair { long a, b; };
struct big { int v[20]; };
static struct one one(int x) { struct one s = {x}; return s; }
static struct three three(int x) { struct three s = {{x, x + 1, x + 2}}; return s; }
static struct pair pair(long a, long b) { return (struct pair){a, b}; }
static struct big big(int x) { struct big s; for (int i = 0; i < 20; i++) s.v[i] = x + i; return s; }
int main(void)
{
    if (one(5).c != 5 || three(7).c[2] != 9 || pair(1, -2).b != -2 || big(100).v[19] != 119) return 1;
    struct pair p = pair(3, 4);
    p = pair(p.b, p.a);
    if (p.a != 4 || p.b != 3) return 2;
    struct big b = big(1);
    b = big(b.v[1]);
    if (b.v[0] != 2) return 3;
    struct three list[2];
    list[1] = three(1);
    list[0] = three(4);
    if (list[1].c[0] != 1 || list[0].c[2] != 6) return 4;
    return 0;
}
