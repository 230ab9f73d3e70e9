// returns 0: every escape in character constants
int main(void)
{
    if ('\a' != 7 || '\b' != 8 || '\t' != 9 || '\n' != 10 || '\v' != 11 || '\f' != 12 || '\r' != 13) return 1;
    if ('\\' != 92 || '\'' != 39 || '\"' != 34 || '"' != 34 || '\?' != 63) return 2;
    if ('\0' != 0 || '\7' != 7 || '\101' != 'A' || '\x41' != 'A' || '\x7f' != 127) return 3;
    if ('\377' != -1 || '\200' != -128 || '\xfe' != -2) return 4;
    if (' ' != 32 || '~' != 126) return 5;
    if ('\e' != 27) return 6;
    return 0;
}
