// returns 0: constant tables of every width, with negative values, read by variables
static const signed char c[] = {-1, -128, 127};
static const unsigned short s[] = {65535, 1};
static const int i[] = {-2147483647 - 1, 5};
static const long l[] = {-9223372036854775807 - 1, 1ll << 40};
static const struct { char c; const char *s; long l; } t[] = {{1, "one", -1}, {2, "two", -2}};
int main(void)
{
    volatile int n = 1;
    if (c[n] != -128 || s[n - 1] != 65535 || i[n - 1] >= 0 || l[n] != 1099511627776) return 1;
    return t[n].s[1] == 'w' && t[n].l == -2 && t[n - 1].c == 1 ? 0 : 2;
}
