// returns 0: a paragraph is broken into lines of at most twenty characters
static int is_blank(char c) { return c == ' ' || c == '\n'; }
int main(void)
{
    const char *p = "the quick brown fox jumps over the lazy dog and runs away from it\n";
    int lines = 0, column = 0, longest = 0;
    while (*p) {
        while (is_blank(*p)) p++;
        int length = 0;
        while (p[length] && !is_blank(p[length])) length++;
        if (!length) break;
        if (column == 0 || column + 1 + length > 20) { lines++; column = length; }
        else column += 1 + length;
        if (column > longest) longest = column;
        p += length;
    }
    return lines == 4 && longest == 19 ? 0 : lines * 32 + longest;
}
