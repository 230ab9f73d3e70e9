// returns 0: population count, lowest bit, byte swap by hand
static int ones(unsigned long long x)
{
    int count = 0;
    while (x) {
        x &= x - 1;
        count++;
    }
    return count;
}
static unsigned swap(unsigned x)
{
    return x >> 24 | (x >> 8 & 0xff00) | (x << 8 & 0xff0000) | x << 24;
}
int main(void)
{
    volatile unsigned v = 0xdeadbeefu;
    if (ones(v) != 24) return 1;
    if (ones(~0ull) != 64) return 2;
    if ((v & -v) != 1) return 3;
    if (swap(v) != 0xefbeaddeu) return 4;
    if (swap(swap(v)) != v) return 5;
    return 0;
}
