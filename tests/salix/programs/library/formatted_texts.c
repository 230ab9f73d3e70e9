// returns 0: sprintf and snprintf with flags, widths, precisions and lengths, few words and many
#include <limits.h>
#include <stdio.h>
#include <string.h>

static char text[200];

static int is(int length, const char *expected)
{
    return length == (int)strlen(expected) && !strcmp(text, expected);
}

int main(void)
{
    long wide = -5000000000;
    int n;
    if (!is(sprintf(text, "plain %%"), "plain %") || !is(sprintf(text, ""), "")) return 1;
    if (!is(sprintf(text, "%d %i %u", -1, 42, -1), "-1 42 4294967295")) return 2;
    if (!is(sprintf(text, "%ld %lld %lu %zu", wide, LLONG_MIN, ULONG_MAX, sizeof wide),
            "-5000000000 -9223372036854775808 18446744073709551615 8")) return 3;
    if (!is(sprintf(text, "%hhd %hhu %hd %hu", 0x1ff, 0x1ff, 0x18000, 0x18000), "-1 255 -32768 32768")) return 4;
    if (!is(sprintf(text, "%x %X %#x %#X %#x", 255, 255, 255, 255, 0), "ff FF 0xff 0XFF 0")) return 5;
    if (!is(sprintf(text, "%o %#o %#o %lx", 8, 8, 0, 1UL << 63), "10 010 0 8000000000000000")) return 6;
    if (!is(sprintf(text, "[%5d][%-5d][%05d][%+d][% d][%+5d]", 42, 42, -42, 42, 42, 7), "[   42][42   ][-0042][+42][ 42][   +7]")) return 7;
    if (!is(sprintf(text, "[%.3d][%6.3d][%06.3d][%.0d][%-6.3d][%#08x]", 7, -7, 7, 0, 7, 0xab), "[007][  -007][   007][][007   ][0x0000ab]")) return 8;
    if (!is(sprintf(text, "[%*d][%-*d][%.*s][%*d][%.*d]", 4, 1, 4, 1, 2, "text", -3, 1, -1, 5), "[   1][1   ][te][1  ][5]")) return 9;
    if (!is(sprintf(text, "%s|%7s|%-7s|%.2s|%s|%c%3c", "hello", "hello", "hello", "hello", "", 'A', 'B'), "hello|  hello|hello  |he||A  B")) return 10;
    if (!is(sprintf(text, "%p", (void *)0x1234), "0x1234") || !is(sprintf(text, "%s", (char *)0), "(null)")) return 11;
    if (!is(sprintf(text, "%d%d%d%d%d%d%d%d%d%d", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9), "0123456789")) return 12;
    memset(text, '#', sizeof text);
    n = snprintf(text, 5, "%s %d", "long", 12345);
    if (n != 10 || memcmp(text, "long\0#", 6)) return 13;
    n = snprintf(text, 11, "%s %d", "long", 12345);
    if (n != 10 || strcmp(text, "long 12345") || text[11] != '#') return 14;
    if (snprintf(0, 0, "%d", 123) != 3 || snprintf(text, 1, "x") != 1 || text[0]) return 15;
    if (__builtin_snprintf(text, sizeof text, "%d %d %d", 1, 2, 3) != 5 || strcmp(text, "1 2 3")) return 16;
    n = snprintf(text, sizeof text, "%lld %c %hd %s", (long long)wide, '!', (short)-3, "end");
    return is(n, "-5000000000 ! -3 end") ? 0 : 17;
}
