// returns 0: forty activations at once
static int down(int n, int *p) { int here = n * 2; if (n == 0) return *p; int r = down(n - 1, &here); return r + *p - here / 2; }
int main(void)
{
    int x = 0, expected = 0;
    int r = down(40, &x);
    for (int n = 0; n <= 40; n++) { int above = n == 40 ? 0 : (n + 1) * 2; expected += n == 0 ? above : above - n; }
    return r == expected ? 0 : 1;
}
