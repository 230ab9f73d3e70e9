// returns 0: returns in the middle, without values, and at the end of nested loops
static int seen;
static void note(int x) { if (x < 0) return; seen += x; return; }
static void none(void) {}
static int search(const int *a, int n, int x)
{
    for (int i = 0; i < n; i++) {
        if (a[i] == x) return i;
        switch (a[i]) { case 100: return -2; }
    }
    return -1;
}
static void pass(void) { return none(); }
int main(void)
{
    int a[] = {5, 6, 100, 7};
    note(3); note(-3); note(4); none(); pass();
    if (seen != 7 || search(a, 4, 6) != 1 || search(a, 4, 7) != -2 || search(a, 2, 9) != -1) return 1;
    return 0;
}
