// returns 0: direct and mutual recursion
static int factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }
static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
static int odd(int n);
static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
int main(void)
{
    return factorial(6) == 720 && fibonacci(6) == 8 && even(4) && !even(5) && odd(5) ? 0 : 1;
}
