// returns 21: beside a vector, a number stands for as many elements
typedef unsigned u4 __attribute__((vector_size(16)));
typedef long l2 __attribute__((vector_size(16)));
typedef signed char c4 __attribute__((vector_size(4)));

static int calls;
static int next(void) { return ++calls; }

int main(void)
{
    u4 u = {1, 2, 3, 4};
    l2 l = {100, -100};
    c4 c = {1, 2, 3, 4};
    char narrow = 3;
    u = next() + u * 2u;  /* 3 5 7 9 */
    u = 100 / u - 1;      /* 32 19 13 10 */
    l = l % 7 + narrow;   /* 5 1 */
    l = 1 << l;           /* 32 2 */
    c = 64 - c - narrow;  /* 60 59 58 57 */
    c = c & -4;           /* 60 56 56 56 */
    u += -1;
    if (calls != 1 || u[0] != 31 || u[3] != 9) return 1;
    if (l[0] != 32 || l[1] != 2) return 2;
    if (c[0] != 60 || c[1] != 56 || c[3] != 56) return 3;
    u <<= 31;
    return u[0] == 0x80000000u && u[1] == 0 ? 21 : 4;
}
