// returns 0: rotations of 32 and 64 bits from two shifts
static unsigned rotate(unsigned x, int n) { return x << (n & 31) | x >> (-n & 31); }
static unsigned long long rotate_wide(unsigned long long x, int n) { return x << (n & 63) | x >> (-n & 63); }
int main(void)
{
    if (rotate(0x80000001u, 1) != 3) return 1;
    if (rotate(0x12345678u, 0) != 0x12345678u) return 2;
    if (rotate(0x12345678u, 8) != 0x34567812u) return 3;
    if (rotate_wide(0x8000000000000001ull, 1) != 3) return 4;
    if (rotate_wide(0x0123456789abcdefull, 60) != 0xf0123456789abcdeull) return 5;
    return 0;
}
