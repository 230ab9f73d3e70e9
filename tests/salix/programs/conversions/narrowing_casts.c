// returns 0: casts to narrower types keep the low bits
int main(void)
{
    volatile long long x = 0x1122334455667788ll;
    if ((int)x != 0x55667788) return 1;
    if ((short)x != 0x7788) return 2;
    if ((signed char)x != -120) return 3;
    if ((unsigned char)x != 0x88) return 4;
    volatile unsigned u = 0xffff8000u;
    if ((short)u != -32768) return 5;
    if ((unsigned short)u != 32768) return 6;
    if ((int)u != -32768) return 7;
    if ((long long)(int)u != -32768) return 8;
    if ((long long)u != 4294934528ll) return 9;
    return 0;
}
