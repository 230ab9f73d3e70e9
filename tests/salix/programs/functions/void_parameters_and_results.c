// returns 0: functions of nothing to nothing
static int n;
static void a(void) { n++; }
static void b(void) { a(); a(); }
static void (*c)(void) = b;
int main(void)
{
    a(), b(), c();
    (void)a, (void)b;
    1 ? a() : b();
    return n == 6 ? 0 : n;
}
