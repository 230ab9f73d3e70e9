// returns 0: parentheses around names change nothing
int (a) = 1;
int ((b)) = 2, (*(p)) = &a;
int ((f))(int (x)) { return x + 1; }
int (g)(void);
int main(void)
{
    int (c)[2] = {3, 4};
    int (((d))) = 5;
    return a + b + *p + f(0) + c[1] + d + (g)() == 1 + 2 + 1 + 1 + 4 + 5 + 6 ? 0 : 1;
}
int g(void) { return 6; }
