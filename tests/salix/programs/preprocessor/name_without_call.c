// returns 0: the name of a function-like macro without parentheses stays as it is
#define f(x) (x + 100)
static int (f)(int x) { return x; }
#define g() 9
int g = 5;
#define LPAREN (
#define late(x) x
int (late);
int main(void)
{
    int (*p)(int) = f;
    if (p(1) != 1 || (f)(1) != 1 || f(1) != 101 || f (1) != 101) return 1;
    if (g != 5 || g() != 9) return 2;
    if (f
        (2) != 102) return 3;
    return late(0) + (late) + late (0) * 5;
}
