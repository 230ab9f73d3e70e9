// returns 0: arrays become pointers everywhere but in sizeof, & and initialisers
static int first(int *p) { return *p; }
int main(void)
{
    int a[3] = {7, 8, 9}, m[2][3] = {{1, 2, 3}, {4, 5, 6}};
    int *p = a, (*q)[3] = &a, (*r)[3] = m + 1;
    if (first(a) != 7 || first(*m) != 1 || first(m[1]) != 4 || first(*r) != 4 || first(*q + 1) != 8) return 1;
    if (sizeof a != 12 || sizeof *&a != 12 || sizeof(a + 0) != 8 || sizeof(0, a) != 8 || sizeof(1 ? a : a) != 8) return 2;
    if (&a[0] != a || (void *)&a != (void *)a || *&a != a || &*a != a || &a + 1 != (int (*)[3])(a + 3)) return 3;
    if (!a || !(a == p) || *(1 ? a : p) != 7 || (p ? a : 0)[2] != 9) return 4;
    return 0;
}
