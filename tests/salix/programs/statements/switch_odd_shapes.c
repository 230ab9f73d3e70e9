// returns 0: switch without braces, with code before the cases, nested, with continue
static int f(int x) { switch (x) case 3: return 1; return 2; }
static int g(int x)
{
    switch (x) {
        int n;
        n = 100;
    case 1: n = 1; return n;
    default: n = 2; return n;
    }
}
static int h(int x, int y)
{
    switch (x) {
    case 1:
        switch (y) { case 1: return 11; case 2: break; default: return 19; }
        return 12;
    case 2: if (y) { case 3: return 30; } return 20;
    }
    return 0;
}
int main(void)
{
    int n = 0;
    for (int i = 0; i < 6; i++) {
        switch (i) { case 2: continue; case 4: break; default: n += 10; }
        n++;
    }
    if (n != 45 || f(3) != 1 || f(4) != 2 || g(1) != 1 || g(7) != 2) return 1;
    if (h(1, 1) != 11 || h(1, 2) != 12 || h(1, 3) != 19 || h(2, 0) != 20 || h(2, 1) != 30 || h(3, 0) != 30 || h(9, 9)) return 2;
    switch (n) {}
    switch (n++) { default: ; }
    return n == 46 ? 0 : 3;
}
