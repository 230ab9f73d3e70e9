// returns 0: an else belongs to the nearest if
static int f(int a, int b)
{
    if (a)
        if (b) return 1;
        else return 2;
    else if (b) return 3;
    else ;
    return 4;
}
static int g(int x)
{
    if (x < 0) return -1; else if (x == 0) return 0; else if (x < 10) { return 1; } else return 2;
}
int main(void)
{
    if (f(1, 1) != 1 || f(1, 0) != 2 || f(0, 1) != 3 || f(0, 0) != 4) return 1;
    if (g(-5) != -1 || g(0) != 0 || g(9) != 1 || g(10) != 2) return 2;
    return 0;
}
