// returns 0: const, volatile, restrict and _Atomic-free pointers to them, in every place
static const int limit = 5;
static int const *const fixed = &limit;
static volatile int changing = 3;
static int *restrict alone;
static void copy(char *restrict to, const char *restrict from) { while ((*to++ = *from++)) ; }
int main(void)
{
    int x = 1;
    int *const p = &x;
    const int *q = &x;
    const volatile int *r = &changing;
    *p = 7;
    q = &limit;
    alone = &x;
    char text[4];
    copy(text, "abc");
    if (*fixed != 5 || *q != 5 || *r != 3 || *alone != 7 || text[2] != 'c') return 1;
    const struct { int a; const char *name; } s = {2, "x"};
    return s.a == 2 && *s.name == 'x' ? 0 : 2;
}
