// returns 0: wide and Unicode characters and strings
int main(void)
{
    if (L'a' != 97 || sizeof L'a' != 4 || u'b' != 98 || U'c' != 99) return 1;
    if (sizeof u'b' != 2 || sizeof U'c' != 4) return 2;
    const __WCHAR_TYPE__ *w = L"xyz";
    if (w[0] != 'x' || w[2] != 'z' || w[3] != 0 || sizeof L"xyz" != 16) return 3;
    if (sizeof u"ab" != 6 || sizeof U"ab" != 12 || sizeof u8"ab" != 3) return 4;
    if (L"a" "b"[1] != 'b') return 5;
    if (L'\x3b1' != 0x3b1 || L'\u00e9' != 0xe9) return 6;
    return 0;
}
