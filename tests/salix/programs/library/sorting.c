// returns 0: qsort and bsearch with elements of any size, called back
#include <stdlib.h>
#include <string.h>

struct entry {
    char name[5];
    short key;
};

static int calls;

static int by_key(const void *a, const void *b)
{
    calls++;
    return ((const struct entry *)a)->key - ((const struct entry *)b)->key;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int main(void)
{
    struct entry entries[100], wanted = {"", 0}, *found;
    const char *words[] = {"pear", "apple", "fig", "cherry"}, *word = "fig";
    unsigned i, x = 1;
    for (i = 0; i < 100; i++) {
        x = x * 1103515245 + 12345;
        entries[i].key = (short)(x >> 16 & 0xfff);
        memset(entries[i].name, 'a' + entries[i].key % 26, 5);
    }
    qsort(entries, 100, sizeof entries[0], by_key);
    for (i = 0; i < 100; i++) {
        if (i && entries[i - 1].key > entries[i].key) return 1;
        if (entries[i].name[0] != 'a' + entries[i].key % 26 || entries[i].name[4] != entries[i].name[0]) return 2;
    }
    if (calls > 2000) return 3;
    for (i = 0; i < 100; i++) {
        wanted.key = entries[i].key;
        found = bsearch(&wanted, entries, 100, sizeof entries[0], by_key);
        if (!found || found->key != wanted.key) return 4;
    }
    wanted.key = 0x1000;
    if (bsearch(&wanted, entries, 100, sizeof entries[0], by_key) || bsearch(&wanted, entries, 0, 8, by_key)) return 5;
    qsort(words, 4, sizeof words[0], by_text);
    if (strcmp(words[0], "apple") || strcmp(words[3], "pear")) return 6;
    if (bsearch(&word, words, 4, sizeof words[0], by_text) != &words[2]) return 7;
    qsort(words, 0, sizeof words[0], by_text);
    return 0;
}
