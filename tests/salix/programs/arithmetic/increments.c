// returns 0: prefix and postfix, on every width, with their values
int main(void)
{
    unsigned char c = 255;
    if (c++ != 255 || c != 0) return 1;
    if (--c != 255) return 2;
    signed char s = -128;
    s--;
    if (s != 127) return 3;
    unsigned short h = 65535;
    if (++h != 0) return 4;
    unsigned u = 0;
    if (u-- != 0 || u != 4294967295u) return 5;
    unsigned long long l = 4294967295u;
    if (++l != 4294967296ull) return 6;
    int a[3] = {1, 2, 3}, *p = a;
    if (*p++ != 1 || *p != 2) return 7;
    if (*++p != 3) return 8;
    if (++*p != 4 || a[2] != 4) return 9;
    if ((*p)++ != 4 || a[2] != 5) return 10;
    if (p-- != a + 2 || p != a + 1) return 11;
    return 0;
}
