// returns 0: members and elements of what a call returns
struct in { int a[4]; char name[8]; };
struct out { struct in in; int n; };
static struct out make(int n) { struct out o = {{{n, n + 1, n + 2, n + 3}, "name"}, n}; return o; }
int main(void)
{
    volatile int i = 2;
    if (make(5).in.a[i] != 7 || make(6).n != 6 || make(1).in.name[3] != 'e') return 1;
    if (make(make(3).in.a[3]).n != 6) return 2;
    return make(1).n + make(2).n * 10 + make(3).in.a[1] * 100 == 421 ? 0 : 3;
}
