// returns 0: expansion never joins tokens by accident, and strings show the blanks
#define MINUS -
#define EMPTY
#define PLUS +
#define STR(x) #x
#define XSTR(x) STR(x)
static int same(const char *a, const char *b) { while (*a && *a == *b) a++, b++; return *a == *b; }
int main(void)
{
    int x = 5;
    if (-MINUS x != 5 || x PLUS+ x != 10 || x -MINUS x != 10) return 1;
    if (!same(XSTR(a EMPTY b), "a b") || !same(XSTR( x - x ), "x - x") || !same(XSTR(a+b), "a+b")) return 2;
    return 0;
}
