// returns 0: strtol and its like: blanks, signs, bases, where they stop, and what does not fit
#include <limits.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    const char *t = "  -42abc";
    char *end;
    if (strtol(t, &end, 10) != -42 || end != t + 5) return 1;
    if (strtol("0x1Fg", &end, 16) != 31 || *end != 'g' || strtol("0x1F", 0, 0) != 31 || strtol("0x", &end, 16) || *end != 'x') return 2;
    if (strtol("0778", &end, 0) != 63 || *end != '8' || strtol("zz", 0, 36) != 35 * 37 || strtol("102", 0, 2) != 2) return 3;
    if (strtol("+", &end, 10) || *end != '+' || strtol("", &end, 10) || *end) return 4;
    if (strtol("9223372036854775807", 0, 10) != LONG_MAX || strtol("9223372036854775808", 0, 10) != LONG_MAX) return 5;
    if (strtol("-9223372036854775808", 0, 10) != LONG_MIN || strtol("-99999999999999999999999", 0, 10) != LONG_MIN) return 6;
    if (strtoul("18446744073709551615", 0, 10) != ULONG_MAX || strtoul("18446744073709551616", 0, 10) != ULONG_MAX) return 7;
    if (strtoul("-1", 0, 10) != ULONG_MAX || strtoull("ff", 0, 16) != 255 || strtoll("-7", 0, 10) != -7) return 8;
    if (atoi("\t\n 12 13") != 12 || atol("-5000000000") != -5000000000 || atoll("x") != 0) return 9;
    if (abs(-3) != 3 || labs(-5000000000) != 5000000000 || llabs(LLONG_MIN + 1) != LLONG_MAX) return 10;
    if (ffs(0) != 0 || ffs(8) != 4 || ffs(INT_MIN) != 32) return 11;
    if (div(-7, 2).quot != -3 || div(-7, 2).rem != -1 || ldiv(7000000000, 3).rem != 1 || lldiv(9, 4).quot != 2) return 12;
    return 0;
}
