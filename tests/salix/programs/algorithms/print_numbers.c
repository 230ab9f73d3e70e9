// returns 0: numbers to text in several bases, and back
static char *format(char *end, long value, unsigned base)
{
    unsigned long rest = value < 0 ? -(unsigned long)value : value;
    *--end = 0;
    do *--end = "0123456789abcdef"[rest % base]; while (rest /= base);
    if (value < 0) *--end = '-';
    return end;
}
static long parse(const char *s, int base)
{
    int minus = *s == '-' ? s++, 1 : 0;
    long v = 0;
    for (; *s; s++) v = v * base + (*s <= '9' ? *s - '0' : *s - 'a' + 10);
    return minus ? -v : v;
}
int main(void)
{
    char buffer[70];
    static const long values[] = {0, 1, -1, 10, -255, 2147483648, -2147483648, 9223372036854775807};
    for (unsigned i = 0; i < sizeof values / sizeof *values; i++)
        for (int base = 2; base <= 16; base++)
            if (parse(format(buffer + sizeof buffer, values[i], base), base) != values[i]) return i * 16 + base;
    return format(buffer + 70, -9223372036854775807 - 1, 10)[19] == '8' ? 0 : 255;
}
