// returns 0: comments of both kinds, and what looks like one
/* a comment that ends **/
/*/ still a comment /*/
int main(void)
{
    int a = 10, b = 2, *p = &b;
    int c = a /*divided*// b;
    if (c != 5) return 1;
    c = a / *p;
    if (c != 5) return 2;
    const char *s = "/* no comment */ // nor this";
    if (s[0] != '/' || s[3] != 'n') return 3;
    c = 7; // a line comment goes on \
    c = 8;
    if (c != 7) return 4;
    if ('/*' != 0x2f2a) return 5;
    return/**/0;
}
