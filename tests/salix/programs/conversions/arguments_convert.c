// returns 0: arguments become the parameters' types, returned values the function's
static int take_char(signed char c) { return c; }
static unsigned take_short(unsigned short s) { return s; }
static unsigned char give_char(int x) { return x; }
static long long give_long(int x) { return x; }
static _Bool give_bool(int x) { return x; }
static unsigned take_unsigned(unsigned u) { return u / 2; }
int main(void)
{
    if (take_char(200) != -56) return 1;
    if (take_short(-1) != 65535) return 2;
    if (give_char(513) != 1) return 3;
    if (give_long(-1) != -1) return 4;
    if (give_bool(42) != 1) return 5;
    if (take_unsigned(-2) != 2147483647) return 6;
    if (take_char(0x1234567fll) != 127) return 7;
    return 0;
}
