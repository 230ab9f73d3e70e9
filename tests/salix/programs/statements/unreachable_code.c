// returns 0: code after return, break and goto is compiled and not run
static int f(int x) { return x; x++; return 100; }
static int g(void) { for (;;) { return 1; break; } return 2; }
static int h(int x) { if (x) return 1; else return 2; x = 3; }
int main(void)
{
    while (1) { break; f(1); }
    goto end;
    return 5;
end:
    if (0) { dead: return 6; }
    if (0) goto dead;
    switch (3) { f(2); case 3: break; f(3); }
    return f(0) + g() + h(1) - 2;
}
