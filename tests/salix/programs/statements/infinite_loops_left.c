// returns 0: loops without a condition, left by break, goto and return
static int f(void) { for (;;) for (;;) return 3; }
static int g(void) { int n = 0; while (1) { do { if (++n > 4) goto out; } while (1); } out: return n; }
int main(void)
{
    int n = 0;
    while (1) { if (n++ > 5) break; else continue; }
    for (;; n++) if (n > 20) break;
    return n == 21 && f() == 3 && g() == 5 ? 0 : 1;
}
