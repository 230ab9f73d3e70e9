// returns 32: a small function with a nested one is put into its callers, more than once
static inline int twice_plus(int base, int by)
{
    int total = base;
    inline void add(void) { total += by; }
    add();
    add();
    return total;
}

static inline __attribute__((always_inline)) int apply(int n)
{
    int seen = 0;
    int count(int m) { seen++; return m <= 0 ? seen : count(m - 1); }
    return count(n);
}

int main(void)
{
    int a = 1;
    int use(int n) { return twice_plus(a, n) + twice_plus(n, a); }
    return use(2) + twice_plus(3, 4) + apply(3) + apply(7);
}
