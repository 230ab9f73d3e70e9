// returns 0: typeof of expressions and types
int main(void)
{
    short s = 1;
    __typeof__(s) t = 70000;
    typeof(s + s) u = 70000;
    __typeof__(int[3]) a = {1, 2, 3};
    typeof(&a[0]) p = a;
    typeof(main) *f = main;
    if (t != 4464 || u != 70000 || sizeof a != 12 || p[2] != 3 || !f) return 1;
    return 0;
}
