// returns 0: types smaller than int become int, also unsigned ones
int main(void)
{
    unsigned char c = 1;
    unsigned short s = 1;
    signed char d = -1;
    _Bool b = 1;
    if (c - 2 > 0) return 1;
    if (s - 2 > 0) return 2;
    if (b - 2 > 0) return 3;
    if (sizeof(c + c) != 4 || sizeof(+s) != 4 || sizeof(-b) != 4 || sizeof(~d) != 4) return 4;
    if (sizeof(c) != 1 || sizeof(c++) != 1 || sizeof(c = 2) != 1) return 5;
    if (c > d ? 0 : 1) return 6;
    return 0;
}
