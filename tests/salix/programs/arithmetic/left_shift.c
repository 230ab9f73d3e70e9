// returns 0: left shifts have the type of their promoted left operand
int main(void)
{
    volatile int n = 31;
    volatile long m = 63;
    unsigned char c = 200;
    if (1u << n != 0x80000000u) return 1;
    if (1ull << m != 0x8000000000000000ull) return 2;
    if (c << 1 != 400) return 3;
    if ((unsigned char)(c << 1) != 144) return 4;
    if (1ull << n != 0x80000000ull) return 5;
    if (sizeof(1 << m) != sizeof(int)) return 6;
    if (0xffffffffu << 4 != 0xfffffff0u) return 7;
    return 0;
}
