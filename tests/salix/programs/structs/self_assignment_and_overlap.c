// returns 0: a struct assigned to itself, elements exchanged through a third
struct s { int v[5]; };
static struct s a[3] = {{{1, 2, 3, 4, 5}}, {{6}}, {{7}}};
int main(void)
{
    a[0] = a[0];
    struct s t = a[0];
    a[0] = a[2];
    a[2] = t;
    struct s *p = &a[2];
    *p = *p;
    return a[0].v[0] == 7 && a[2].v[4] == 5 && a[1].v[0] == 6 ? 0 : 1;
}
