// returns 0: declarations that agree, in blocks too, with composite types
int f(int), g(void), h(int[], int (*)(int));
int f(int x);
extern int f(int y);
int main(void)
{
    int f(int), k(char);
    int a[] = {3};
    return f(1) == 2 && g() == 5 && h(a, f) == 4 && k(300) == 44 ? 0 : 1;
}
int f(int x) { return x + 1; }
int g(void) { return 5; }
int h(int a[5], int (*p)(int)) { return p(a[0]); }
int k(char c) { return c; }
