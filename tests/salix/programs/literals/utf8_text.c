// returns 0: bytes above 127 in strings are kept, universal names become UTF-8
int main(void)
{
    const char *s = "é\u00e9";
    if ((unsigned char)s[0] != 0xc3 || (unsigned char)s[1] != 0xa9) return 1;
    if ((unsigned char)s[2] != 0xc3 || (unsigned char)s[3] != 0xa9 || s[4] != 0) return 2;
    if (sizeof "日本" != 7 || sizeof "\U0001F600" != 5) return 3;
    return 0;
}
