// returns 0: what narrow functions return has no more than their bits
static unsigned char uc(int x) { return x; }
static signed char sc(int x) { return x; }
static unsigned short us(int x) { return x; }
static short ss(long x) { return x; }
static int si(long x) { return x; }
static unsigned ui(long x) { return x; }
static _Bool bo(long x) { return x; }
int main(void)
{
    volatile int big = 0x12345;
    volatile long wide = 0x1ffffffffl;
    if (uc(big) != 0x45 || sc(0x180) != -128 || us(big) != 0x2345 || ss(0x18000) != -32768) return 1;
    if (si(wide) != -1 || ui(wide) != 4294967295u || (long)si(wide) != -1 || (long)ui(wide) != 4294967295l) return 2;
    if (bo(0x100000000l) != 1 || bo(0) != 0) return 3;
    return 0;
}
