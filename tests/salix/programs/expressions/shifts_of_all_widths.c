// returns 0: shifts by variables on every width, to the last bit
int main(void)
{
    for (int n = 0; n < 64; n++) {
        unsigned long u = 1ul << n;
        if (u >> n != 1 || (long)(u << (63 - n)) >= 0) return 1;
        if (n < 32 && ((1u << n) >> n != 1 || (int)(1u << n << (31 - n)) >= 0)) return 2;
        if ((-1l >> n) != -1 || (~0ul >> n) != (n ? (1ul << (64 - n)) - 1 : ~0ul)) return 3;
        if (n < 8 && (unsigned char)(1 << n) >> n != 1) return 4;
        if (n < 16 && (short)(-32768 >> n) != -32768 / (1 << n)) return 5;
    }
    return 0;
}
