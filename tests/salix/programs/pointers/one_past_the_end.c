// returns 0: the address after the last element may be formed and compared
static int sum(const int *from, const int *to)
{
    int s = 0;
    while (from != to) s += *from++;
    return s;
}
int main(void)
{
    int a[4] = {1, 2, 3, 4}, x = 9;
    if (sum(a, a + 4) != 10 || sum(a, &a[4]) != 10 || sum(&x, &x + 1) != 9 || sum(a + 4, a + 4)) return 1;
    int m[2][2] = {{1, 2}, {3, 4}};
    if (sum(*m, *(m + 2)) != 10) return 2;
    return 0;
}
