// returns 0: comparisons that surprise
int main(void)
{
    unsigned char c = 200;
    signed char d = -56;
    unsigned short s = 65535;
    short t = -1;
    unsigned u = 4294967295u;
    if ((char)c != d || c == d) return 1;
    if (s == t || (short)s != t) return 2;
    if (u != t || u != -1 || u == -1l) return 3;
    if (sizeof(int) < -1 ? 0 : 1) return 4;
    if ((unsigned char)~c != 55 || ~c == 55) return 5;
    if (u + 1 != 0 || u + 1l == 0 || -u != 1) return 6;
    return 0;
}
