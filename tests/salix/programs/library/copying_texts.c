// returns 0: strcpy, strcat and their like, with and without a limit
#define _GNU_SOURCE
#include <string.h>
#include <strings.h>

int main(void)
{
    char to[16];
    memset(to, '#', sizeof to);
    if (strcpy(to, "abc") != to || memcmp(to, "abc\0#", 5)) return 1;
    if (stpcpy(to + 3, "de") != to + 5 || strcmp(to, "abcde")) return 2;
    if (strcat(to, "fg") != to || strcmp(to, "abcdefg") || to[8] != '#') return 3;
    if (strncat(to, "hijkl", 2) != to || strcmp(to, "abcdefghi") || to[10] != '#') return 4;
    if (strncat(to, "j", 9) != to || strcmp(to, "abcdefghij")) return 5;
    memset(to, '#', sizeof to);
    if (strncpy(to, "xy", 5) != to || memcmp(to, "xy\0\0\0#", 6)) return 6;
    if (strncpy(to, "uvwxyz", 3) != to || memcmp(to, "uvw\0\0#", 6)) return 7;
    if (stpncpy(to, "ab", 4) != to + 2 || memcmp(to, "ab\0\0\0#", 6)) return 8;
    if (stpncpy(to, "abcd", 3) != to + 3 || memcmp(to, "abc\0\0#", 6)) return 9;
    if (mempcpy(to, "0123456789", 10) != to + 10 || memcmp(to, "0123456789#", 11)) return 10;
    bcopy(to, to + 1, 9);
    if (memcmp(to, "0012345678#", 11)) return 11;
    bcopy(to + 2, to, 8);
    if (memcmp(to, "1234567878#", 11)) return 12;
    bzero(to + 1, 3);
    if (memcmp(to, "1\0\0\0" "567878#", 11)) return 13;
    return 0;
}
