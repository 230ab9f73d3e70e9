// returns 0: _Generic chooses by type, after the conversion of lvalues, and evaluates nothing else
#define KIND(x) _Generic((x), char: 1, signed char: 2, unsigned char: 3, short: 4, int: 5, unsigned: 6, \
    long: 7, unsigned long: 8, long long: 9, char *: 10, int *: 11, const int *: 12, default: 0)
struct s { int x; };
int main(void)
{
    const int ci = 1;
    int i = 0, a[3];
    struct s s = {0};
    if (KIND('a') != 5 || KIND((char)1) != 1 || KIND(1u) != 6 || KIND(1l) != 7 || KIND(1ll) != 9) return 1;
    if (KIND("text") != 10 || KIND(a) != 11 || KIND(&i) != 11 || KIND(&ci) != 12) return 2;
    if (KIND(ci) != 5 || KIND(s) != 0 || KIND((short)1) != 4 || KIND((short)1 + 1) != 5) return 3;
    if (_Generic(i++, int: 3, default: i++) != 3 || i != 0) return 4;
    if (_Generic(1ul, unsigned long: sizeof(int), default: 0) != 4) return 5;
    if (_Generic(&main, int (*)(void): 1, default: 2) != 1) return 6;
    _Generic(i, default: i, long: a[0]) = 8;
    if (i != 8) return 7;
    return 0;
}
