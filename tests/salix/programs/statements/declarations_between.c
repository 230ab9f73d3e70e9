// returns 0: declarations among statements, in loops and after labels
int main(void)
{
    int a = 1;
    a++;
    int b = a;
    b++;
    struct s { int x; } s = {b};
    typedef struct s t;
    t u = {s.x + 1};
    enum { K = 4 };
    if (u.x != K) return 1;
    for (int i = 0; i < 2; i++) {
        int before = i;
        a += before;
        int after = before + 1;
        a += after;
    }
    return a == 6 ? 0 : 2;
}
