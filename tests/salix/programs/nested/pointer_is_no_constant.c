// refused: must be known when the program is compiled
int main(void)
{
    int x = 1;
    int f(void) { return x; }
    static int (*p)(void) = f;
    return p();
}
