// returns 0: what 32-bit arithmetic carries out does not show in a 64-bit use
int main(void)
{
    volatile unsigned a = 0xffffffffu, b = 1;
    unsigned long long sum = a + b;
    unsigned long long product = a * a;
    unsigned long long shifted = a << 4;
    unsigned long long difference = b - a;
    if (sum != 0) return 1;
    if (product != 1) return 2;
    if (shifted != 0xfffffff0u) return 3;
    if (difference != 2) return 4;
    return 0;
}
