// returns 0: globals of each width are read and written as such
signed char a = -1;
unsigned char b = 255;
short c = -2;
unsigned short d = 65534;
int e = -3;
unsigned f = 4294967293u;
long g = -4;
unsigned long h = 18446744073709551612ul;
_Bool i = 1;
int main(void)
{
    if (a + b + c + d + e + (long)f + g + (long)h + i != -1 + 255 - 2 + 65534 - 3 + 4294967293l - 4 - 4 + 1) return 1;
    a--; b++; c--; d += 2; e--; f += 3; g--; h += 4; i = 0;
    if (a != -2 || b || c != -3 || d || e != -4 || f || g != -5 || h || i) return 2;
    return 0;
}
