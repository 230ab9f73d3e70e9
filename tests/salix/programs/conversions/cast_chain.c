// returns 0: each cast of a chain takes effect
int main(void)
{
    volatile int x = 0x1ff;
    if ((int)(signed char)(unsigned char)x != -1) return 1;
    if ((unsigned)(unsigned char)(signed char)x != 255) return 2;
    if ((long)(unsigned)(short)0x8000 != 4294934528l) return 3;
    if ((unsigned long)(unsigned short)(int)-1l != 65535) return 4;
    if ((_Bool)(unsigned char)256 != 0) return 5;
    if ((int)(_Bool)512 != 1) return 6;
    if ((long long)(int)0x80000000u != -2147483648ll) return 7;
    return 0;
}
