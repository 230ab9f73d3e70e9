// returns 0: a typedef name can be an ordinary name in an inner scope, and a member's
typedef int T;
struct has { T T; };
static int use(T x) { return x; }
int main(void)
{
    T a = 3;
    {
        T T = 4;
        a += T;
        int b = T * a;
        if (b != 28) return 1;
    }
    T c = a;
    struct has h = {5};
    if (c != 7 || h.T != 5) return 2;
    {
        typedef long T;
        if (sizeof(T) != 8) return 3;
    }
    if (sizeof(T) != 4 || use((T)9) != 9) return 4;
    T: c++;
    if (c < 10) goto T;
    return 0;
}
