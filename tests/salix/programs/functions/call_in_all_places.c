// returns 0: calls as conditions, indices, arguments, cases, initialisers
static int n;
static int next(void) { return ++n; }
static int same(int x) { return x; }
int main(void)
{
    int a[5] = {0, 10, 20, 30, 40};
    if (a[next()] != 10) return 1;
    int b[] = {next(), next()};
    if (b[0] + b[1] != 5) return 2;
    switch (next()) { case 4: break; default: return 3; }
    while (next() < 10) ;
    for (int i = next(); i < same(13); i = next()) ;
    if (n != 13) return 4;
    if (same(same(same(3)) + same(4)) != 7) return 5;
    return same(n = same(n) + 1) == 14 && (next(), same(n)) == 15 ? 0 : 6;
}
