// returns 0: & and * undo each other
int main(void)
{
    int x = 5, *p = &x, **pp = &p, ***ppp = &pp;
    if (***ppp != 5) return 1;
    ***ppp = 6;
    if (x != 6) return 2;
    if (&*p != p || *&p != &x) return 3;
    int y = 7;
    *pp = &y;
    if (*p != 7) return 4;
    int a[2] = {8, 9};
    if (&a[1] != a + 1 || *&a[1] != 9) return 5;
    if (*a != 8 || *(a + 1) != 9 || 1[a] != 9) return 6;
    return 0;
}
