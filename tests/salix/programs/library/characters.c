// returns 0: how many characters ctype.h finds in each of its kinds, and what it makes of letters
#include <ctype.h>

int main(void)
{
    static const int expected[] = {62, 52, 2, 33, 10, 94, 26, 95, 32, 6, 26, 22};
    int found[12] = {0}, c, i;
    for (c = -1; c < 256; c++) {
        found[0] += isalnum(c) != 0;
        found[1] += isalpha(c) != 0;
        found[2] += isblank(c) != 0;
        found[3] += iscntrl(c) != 0;
        found[4] += isdigit(c) != 0;
        found[5] += isgraph(c) != 0;
        found[6] += islower(c) != 0;
        found[7] += isprint(c) != 0;
        found[8] += ispunct(c) != 0;
        found[9] += isspace(c) != 0;
        found[10] += isupper(c) != 0;
        found[11] += isxdigit(c) != 0;
        if (isalnum(c) && (isalpha(c) != 0) == (isdigit(c) != 0)) return 20;
        if (isgraph(c) && (isalnum(c) != 0) == (ispunct(c) != 0)) return 21;
        if (isalpha(c) ? tolower(c) != (c | 32) || toupper(c) != (c & ~32) : tolower(c) != c || toupper(c) != c) return 22;
    }
    for (i = 0; i < 12; i++)
        if (found[i] != expected[i]) return i + 1;
    return 0;
}
