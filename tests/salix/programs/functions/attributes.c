// returns 0: attributes in the places where programs have them
static __attribute__((noinline)) int f(int x __attribute__((unused))) { return 3; }
static int g(void) __attribute__((always_inline, unused));
static inline int g(void) { return 4; }
struct s { char c __attribute__((aligned(4))); char d; } __attribute__((aligned(16)));
static int table[2] __attribute__((section(".data.table"))) = {1, 2};
__attribute__((unused)) static int unused;
static int __attribute__((aligned(8))) aligned = 5;
int main(void)
{
    int local __attribute__((unused)) = 0;
    if (sizeof(struct s) != 16 || (unsigned long)&aligned % 8) return 1;
    return f(1) + g() + table[1] - 9;
}
