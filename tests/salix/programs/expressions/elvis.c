// returns 0: ?: without its middle, as other compilers have it
static int calls;
static int f(int x) { calls++; return x; }
int main(void)
{
    int a = f(5) ?: 7, b = f(0) ?: 8;
    char *p = 0, *q = "q";
    return a == 5 && b == 8 && calls == 2 && (p ?: q) == q ? 0 : 1;
}
