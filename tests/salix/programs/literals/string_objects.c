// returns 0: strings are arrays of char with a terminating zero
static unsigned long length(const char *s) { const char *e = s; while (*e) e++; return e - s; }
int main(void)
{
    if (length("") != 0 || length("hello") != 5 || length("a\0b") != 1) return 1;
    if ("hello"[1] != 'e' || *"hello" != 'h' || *("hello" + 4) != 'o' || 2["hello"] != 'l') return 2;
    char copy[] = "hello";
    copy[0] = 'j';
    if (copy[0] != 'j' || copy[5] != 0 || sizeof copy != 6) return 3;
    const char *p = "abc";
    p++;
    if (*p != 'b') return 4;
    return 0;
}
