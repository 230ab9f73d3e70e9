// returns 0: a macro is not expanded inside itself
static int x = 5, A = 7;
static int f(int n) { return n + 10; }
#define x (x + 1)
#define f(a) f(a + 1) * a
#define A B + 1
#define B A + 2
int main(void)
{
    if (x != 6 || A != 10) return 1;
    if (f(2) != 26) return 2;
    if (f(f(1)) != (f)((f)(1 + 1) * 1 + 1) * (f)(1 + 1) * 1) return 3;
    return 0;
}
