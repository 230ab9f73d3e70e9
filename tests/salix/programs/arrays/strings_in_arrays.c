// returns 0: arrays of strings, of arrays of characters, sorted and searched
static const char *words[] = {"pear", "apple", "fig", "orange"};
static char names[4][8] = {"pear", "apple", "fig", "orange"};
static int less(const char *a, const char *b) { while (*a && *a == *b) a++, b++; return *a < *b; }
int main(void)
{
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 3; j++)
            if (less(words[j + 1], words[j])) { const char *t = words[j]; words[j] = words[j + 1]; words[j + 1] = t; }
    if (words[0][0] != 'a' || words[1][0] != 'f' || words[3][1] != 'e') return 1;
    int n = 0;
    for (char (*p)[8] = names; p < names + 4; p++) for (char *q = *p; *q; q++) n++;
    return n == 18 && sizeof names == 32 && names[2][3] == 0 ? 0 : 2;
}
