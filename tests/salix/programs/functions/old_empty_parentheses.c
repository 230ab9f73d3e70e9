// returns 0: empty parentheses declare a function without saying what it takes
int later();
static int none() { return 3; }
int main()
{
    return later(1, 2) + none() == 6 ? 0 : 1;
}
int later(int a, int b) { return a + b; }
