// returns 0: ## joins tokens, whose arguments are not expanded before
#define JOIN(a, b) a##b
#define XJOIN(a, b) JOIN(a, b)
#define N 3
#define MAKE(type, name) type type##_##name(type x) { return x + N; }
#define HASH_HASH # ## #
#define EMPTY_SIDE(a) v a##a2
#define LEFT(a) a ## _left
#define inner(a, b) (b + 1)
static MAKE(int, f)
static MAKE(long, f)
int main(void)
{
    int v3 = 5, vN = 6, JOIN(a, b) = 7, x12 = 8;
    if (XJOIN(v, N) != 5 || JOIN(v, N) != 6 || ab != 7 || JOIN(x, 12) != 8) return 1;
    if (int_f(1) != 4 || long_f(2) != 5) return 2;
    if (JOIN(1, 2) != 12 || JOIN(0x, ff) != 255 || JOIN(, 5) != 5 || JOIN(6, ) != 6) return 3;
    int n = 1;
    n JOIN(+, =) 4;
    n JOIN(<, <=) 1;
    if (n != 10 || JOIN(in, ner)(4, 5) != 6) return 4;
    int _left = 3;
    if (LEFT() != 3) return 5;
    return JOIN(L, 'a') - 'a';
}
