// returns 0: the type of a shift's count has no influence on its result
int main(void)
{
    volatile unsigned long long count = 4;
    volatile signed char small = 4;
    int i = -256;
    unsigned u = 0xf0000000u;
    if (i >> count != -16) return 1;
    if (i >> small != -16) return 2;
    if (u >> count != 0x0f000000u) return 3;
    if (u << small != 0) return 4;
    return 0;
}
