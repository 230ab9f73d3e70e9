// returns 0: arithmetic on pointers of odd sizes, through casts and void
struct s { char c[3]; };
int main(void)
{
    struct s a[5] = {{{0}}};
    struct s *p = a, *end = &a[5];
    void *v = &a[2];
    if (end - p != 5 || (char *)end - (char *)p != 15 || (struct s *)v - p != 2) return 1;
    if ((struct s *)((char *)p + 9) != a + 3 || (char *)(p + 1) != a[1].c || &p[4].c[2] != (char *)end - 1) return 2;
    unsigned long number = (unsigned long)p;
    if ((struct s *)(number + 2 * sizeof *p) != &a[2]) return 3;
    p += 4; p -= 3;
    return p == a + 1 && p++ == a + 1 && --p == a + 1 ? 0 : 4;
}
