// returns 0: the smallest values of the signed types
int main(void)
{
    volatile int low = -2147483647 - 1;
    volatile long long lowest = -9223372036854775807ll - 1;
    if (low >= 0) return 1;
    if (low / 2 != -1073741824) return 2;
    if ((unsigned)low != 0x80000000u) return 3;
    if (lowest >= 0) return 4;
    if ((unsigned long long)lowest != 0x8000000000000000ull) return 5;
    if (lowest / 10 != -922337203685477580ll) return 6;
    if (lowest % 10 != -8) return 7;
    if (low != -0x7fffffff - 1) return 8;
    return 0;
}
