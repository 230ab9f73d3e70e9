// returns 0: escapes in strings end where they should
int main(void)
{
    const char *s = "\1012\x41G\08\0";
    if (s[0] != 'A' || s[1] != '2' || s[2] != 'A' || s[3] != 'G' || s[4] != 0 || s[5] != '8') return 1;
    if (sizeof "\1012\x41G\08\0" != 8) return 2;
    if (sizeof "\n\t\\\"" != 5) return 3;
    if (sizeof "\x1\x2" "3" != 4) return 4;
    if ("\x1" "2"[1] != '2') return 5;
    return 0;
}
