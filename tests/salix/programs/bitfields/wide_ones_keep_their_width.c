// returns 0: what is computed of bit-fields of more than 32 bits has as many bits as the widest of them
struct wide {
    unsigned long a : 34;
    unsigned long b : 40;
    long s : 35;
    unsigned long narrow : 30;
};

int main(void)
{
    struct wide w = {0x200000000UL, 0xff00000000UL, -5, 0x3fffffff};
    if (w.a + w.a != 0) return 1;
    if (w.a + w.b != 0x100000000UL) return 2;
    if (w.a << 1 != 0) return 3;
    if (w.a - 0x200000001UL != 0xffffffffffffffffUL) return 4;
    if ((w.a - 1) * 2 != 0x3fffffffeUL) return 5;
    if (~w.a != 0x1ffffffffUL) return 6;
    if (-w.b != 0x100000000UL) return 7;
    if (w.s * 2 != -10 || w.s >> 1 != -3) return 8;
    if (w.narrow + w.narrow != 0x7ffffffe) return 9;
    w.a += 0x200000000UL;
    if (w.a != 0) return 10;
    if ((unsigned long)(w.a - 8) + 8 != 0x400000000UL) return 11;
    return 0;
}
