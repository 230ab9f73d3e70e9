// returns 0: the usual string functions, written out
static int compare(const char *a, const char *b)
{
    while (*a && *a == *b) a++, b++;
    return (unsigned char)*a - (unsigned char)*b;
}
static char *append(char *to, const char *from)
{
    char *p = to;
    while (*p) p++;
    while ((*p++ = *from++) != '\0');
    return to;
}
static const char *find(const char *s, int c) { for (; *s; s++) if (*s == c) return s; return 0; }
int main(void)
{
    char buffer[20] = "";
    if (compare(append(append(buffer, "foo"), "bar"), "foobar")) return 1;
    if (compare("abc", "abd") >= 0 || compare("b", "a") <= 0 || compare("a", "ab") >= 0) return 2;
    if (find("hello", 'l') - "" == 0 || *find("hello", 'o') != 'o' || find("hello", 'z')) return 3;
    if (compare("\x80", "a") <= 0) return 4;
    return 0;
}
