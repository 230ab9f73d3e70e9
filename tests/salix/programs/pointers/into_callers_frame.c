// returns 0: pointers to locals of callers, several calls deep
static void deepest(int *a, int *b) { int t = *a; *a = *b; *b = t; }
static void middle(int *a, int *b, int *count) { deepest(a, b); ++*count; }
static int outer(int *x)
{
    int local = 5, count = 0;
    middle(x, &local, &count);
    middle(&local, x, &count);
    middle(x, &local, &count);
    return local * 10 + count;
}
int main(void)
{
    int x = 7;
    int r = outer(&x);
    return x == 5 && r == 73 ? 0 : 1;
}
