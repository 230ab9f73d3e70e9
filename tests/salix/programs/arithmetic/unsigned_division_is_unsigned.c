// returns 0: large unsigned values are not negative in division, remainder and right shift
int main(void)
{
    volatile unsigned a = 0xfffffff0u;
    volatile unsigned long long b = 0xfffffffffffffff0ull;
    if (a / 16 != 0x0fffffffu) return 1;
    if (a % 7 != 2) return 2;
    if (a >> 4 != 0x0fffffffu) return 3;
    if (b / 16 != 0x0fffffffffffffffull) return 4;
    if (b % 1000 != 600) return 5;
    if (b >> 60 != 15) return 6;
    return 0;
}
