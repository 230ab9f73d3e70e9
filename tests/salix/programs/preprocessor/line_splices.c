// returns 0: a backslash at a line's end joins lines, anywhere
#define LONG(a, \
             b) (a \
    + b)
#def\
ine SPLIT 5
int ma\
in(void)
{
    // a comment \
    return 1;
    int x = LONG(1, \
        2);
    const char *s = "a\
b";
    if (x != 3 || s[1] != 'b' || SPL\
IT != 5) return 2;
    if (__LINE__ != 18) return 3;
    return 1\
2 - 12;
}
