// returns 23: `auto` declares a nested function that is defined below; two may call each other
int main(void)
{
    int calls = 0;
    auto int odd(int);
    auto int even(int), unlike(int);
    int even(int n) { calls++; return n == 0 ? 1 : odd(n - 1); }
    int odd(n) int n; { calls++; return n == 0 ? 0 : even(n - 1); }
    int (*first)(int) = unlike;
    int unlike(int n) { return n + 10; }
    if (!even(4) || odd(4) || !odd(5) || first != unlike) return 1;
    {
        int even(int n) { return n * 100; } /* another one, in this block */
        if (even(1) != 100) return 2;
    }
    return calls + first(-3) + (even(0) == 1 ? 0 : 50);
}
