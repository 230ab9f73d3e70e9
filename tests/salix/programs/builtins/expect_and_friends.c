// returns 0: builtins that change nothing
#define likely(x) __builtin_expect(!!(x), 1)
int main(void)
{
    volatile int x = 5;
    if (likely(x == 5)) x++;
    if (__builtin_constant_p(3) != 1) return 1;
    if (__builtin_types_compatible_p(int, int) != 1 || __builtin_types_compatible_p(int, long)) return 2;
    return x == 6 ? 0 : 3;
}
