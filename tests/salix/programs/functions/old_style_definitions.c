// returns 0: definitions whose parameters are declared after the parentheses
int add(a, b) int a, b; { return a + b; }
static char *skip(s, n)
    char *s;
    int n;
{
    return s + n;
}
short narrow(c, h) char c; short h; { return c + h; }
int none() { return 5; }
int main()
{
    return add(1, 2) == 3 && *skip("abc", 2) == 'c' && narrow(300, 70000) == 44 + 4464 && none() == 5 ? 0 : 1;
}
