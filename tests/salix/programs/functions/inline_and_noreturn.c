// returns 0: function specifiers
static inline int twice(int x) { return x * 2; }
inline static int thrice(int x) { return x * 3; }
static _Noreturn void forever(void) { for (;;) ; }
static __inline__ int same(int x) { return x; }
int main(void)
{
    if (twice(1) == 3) forever();
    return twice(3) + thrice(2) + same(1) - 13;
}
