// returns 0: a table with open addressing, keyed by strings
struct entry { const char *key; int value; };
static struct entry table[16];
static unsigned hash(const char *s) { unsigned h = 2166136261u; while (*s) h = (h ^ (unsigned char)*s++) * 16777619u; return h; }
static int same(const char *a, const char *b) { while (*a && *a == *b) a++, b++; return *a == *b; }
static int *slot(const char *key)
{
    unsigned i = hash(key);
    while (table[i % 16].key && !same(table[i % 16].key, key)) i++;
    table[i % 16].key = key;
    return &table[i % 16].value;
}
int main(void)
{
    static const char *const words[] = {"to", "be", "or", "not", "to", "be", "that", "is", "the", "question", "to"};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) ++*slot(words[i]);
    return *slot("to") == 3 && *slot("be") == 2 && *slot("question") == 1 && *slot("none") == 0 ? 0 : 1;
}
