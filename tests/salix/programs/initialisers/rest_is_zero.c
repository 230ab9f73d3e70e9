// returns 0: what an initialiser leaves out is zero, also in locals over old stack
struct s { int a; long b[5]; char c; };
static int dirty(void) { volatile long a[40]; for (int i = 0; i < 40; i++) a[i] = -1; return (int)a[3]; }
static int check(void)
{
    struct s s = {1};
    int list[20] = {0};
    char text[30] = "a";
    for (int i = 0; i < 5; i++) if (s.b[i]) return 1;
    for (int i = 0; i < 20; i++) if (list[i]) return 2;
    for (int i = 1; i < 30; i++) if (text[i]) return 3;
    return s.a == 1 && s.c == 0 ? 0 : 4;
}
int main(void)
{
    dirty();
    return check();
}
