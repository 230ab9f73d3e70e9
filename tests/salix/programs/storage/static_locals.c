// returns 0: static locals keep their values, each function and each block its own
static int counter(void) { static int n = 10; return n++; }
static int other(void) { static int n; return n += 2; }
static int blocks(int which)
{
    if (which) { static int n = 100; return ++n; }
    else { static int n = 200; return ++n; }
}
int main(void)
{
    counter(); counter();
    other();
    blocks(0); blocks(1);
    if (counter() != 12 || other() != 4 || blocks(0) != 202 || blocks(1) != 102) return 1;
    return 0;
}
