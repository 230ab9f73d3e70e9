// returns 0: pointers into one array are ordered
int main(void)
{
    int a[10], *p = a, *q = a + 5, *end = a + 10;
    if (!(p < q) || p > q || !(q <= end) || q >= end || p == q || !(p != q)) return 1;
    int n = 0;
    for (p = a; p < end; p++) n++;
    for (p = end; p-- > a;) n++;
    if (n != 20) return 2;
    if ((void *)a != (void *)&a[0] || (char *)&a[1] <= (char *)a) return 3;
    return 0;
}
