// returns 0: static pointers to objects, elements, members, strings and functions
struct s { int a, b; };
static int n = 5, list[4] = {1, 2, 3, 4};
static struct s s = {6, 7};
static int f(void) { return 8; }
int *pn = &n, *pl = list, *p2 = &list[2], *p3 = list + 3, *back = &list[3] - 2, *member = &s.b;
char *text = "text", *inside = "inside" + 2;
int (*pf)(void) = f, (*pf2)(void) = &f;
void *mixed[] = {&n, list, "x", &s, (char *)&s + 4, 0};
struct { const char *name; int *value; int (*call)(void); } rows[] = {{"n", &n, f}, {"b", &s.b, f}};
int **deep = &pn;
int main(void)
{
    if (*pn != 5 || *pl != 1 || *p2 != 3 || *p3 != 4 || *back != 2 || *member != 7) return 1;
    if (text[3] != 't' || inside[0] != 's' || pf() != 8 || pf2() != 8) return 2;
    if (*(int *)mixed[0] != 5 || ((int *)mixed[1])[1] != 2 || *(char *)mixed[2] != 'x' || *(int *)mixed[4] != 7 || mixed[5]) return 3;
    if (*rows[1].value != 7 || rows[1].name[0] != 'b' || rows[0].call() != 8 || **deep != 5) return 4;
    return 0;
}
