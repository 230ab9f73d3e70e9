// returns 0: fields in unions read what others wrote
union u { unsigned whole; struct { unsigned low : 4, middle : 8, high : 20; }; unsigned first : 6; };
int main(void)
{
    union u x;
    x.whole = 0xabcdef12;
    if (x.low != 2 || x.middle != 0xf1 || x.high != 0xabcde || x.first != 0x12) return 1;
    x.middle = 0;
    if (x.whole != 0xabcde002) return 2;
    x.first = 0x3f;
    if (x.whole != 0xabcde03f || x.low != 15 || x.middle != 3) return 3;
    if (sizeof(union u) != 4) return 4;
    return 0;
}
