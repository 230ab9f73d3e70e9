// returns 0: the source's signedness decides how a value is widened
int main(void)
{
    volatile signed char sc = -2;
    volatile unsigned char uc = 254;
    volatile short ss = -2;
    volatile unsigned short us = 65534;
    volatile int si = -2;
    volatile unsigned ui = 4294967294u;
    if ((unsigned)sc != 4294967294u) return 1;
    if ((unsigned long long)sc != 18446744073709551614ull) return 2;
    if ((long long)uc != 254) return 3;
    if ((unsigned long long)ss != 18446744073709551614ull) return 4;
    if ((long long)us != 65534) return 5;
    if ((unsigned long long)si != 18446744073709551614ull) return 6;
    if ((long long)ui != 4294967294ll) return 7;
    if ((unsigned short)sc != 65534) return 8;
    return 0;
}
