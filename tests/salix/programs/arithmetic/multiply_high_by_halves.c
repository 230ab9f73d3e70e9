// returns 0: the high half of a 128-bit product, from four products
static unsigned long long high(unsigned long long a, unsigned long long b)
{
    unsigned long long al = a & 0xffffffff, ah = a >> 32, bl = b & 0xffffffff, bh = b >> 32;
    unsigned long long middle = al * bh + (al * bl >> 32);
    unsigned long long other = ah * bl + (middle & 0xffffffff);
    return ah * bh + (middle >> 32) + (other >> 32);
}
int main(void)
{
    if (high(~0ull, ~0ull) != 0xfffffffffffffffeull) return 1;
    if (high(1ull << 32, 1ull << 32) != 1) return 2;
    if (high(0x123456789abcdef0ull, 0xfedcba9876543210ull) != 0x121fa00ad77d7422ull) return 3;
    return 0;
}
