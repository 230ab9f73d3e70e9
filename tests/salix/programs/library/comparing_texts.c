// returns 0: strcmp and its like order bytes without a sign, and stop at the end or the limit
#include <string.h>
#include <strings.h>

static int sign(int x)
{
    return (x > 0) - (x < 0);
}

int main(void)
{
    if (sign(strcmp("", "")) != 0 || sign(strcmp("a", "")) != 1 || sign(strcmp("", "a")) != -1) return 1;
    if (sign(strcmp("ab", "ac")) != -1 || sign(strcmp("\xff", "a")) != 1 || strcmp("same", "same")) return 2;
    if (strncmp("abc", "abd", 2) || sign(strncmp("abc", "abd", 3)) != -1 || strncmp("x", "y", 0)) return 3;
    if (strncmp("ab\0c", "ab\0d", 4) || sign(strncmp("\x80", "\x7f", 1)) != 1) return 4;
    if (strcasecmp("HeLLo", "hEllO") || sign(strcasecmp("abc", "ABD")) != -1 || sign(strcasecmp("_", "a")) != -1) return 5;
    if (strncasecmp("ABCx", "abcy", 3) || sign(strncasecmp("ABCx", "abcy", 4)) != -1) return 6;
    return 0;
}
