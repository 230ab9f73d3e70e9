// returns 0: each block has its own names
int x = 1;
static int f(int x) { { int x = 30; x++; } return x; }
int main(void)
{
    if (x != 1) return 1;
    int x = 2;
    {
        int y = x, x = 3;
        if (y != 2 || x != 3) return 2;
        {
            extern int x;
            if (x != 1) return 3;
            x = 10;
        }
        if (x != 3) return 4;
    }
    for (int x = 5; x < 6; x++) { int x = 7; if (x != 7) return 5; }
    if (x != 2 || f(20) != 20) return 6;
    return 0;
}
