// returns 0: a heap of the program's own, of which one function is missing and comes with the compiler
typedef unsigned long size_t;
extern void *calloc(size_t count, size_t size);

static char room[1000];
static size_t used;

static void *malloc(size_t size)
{
    void *block = room + used;
    used += size;
    return block;
}

static void free(void *block)
{
    if (block == room + 10) used = 10;
}

int main(void)
{
    char *a = malloc(10), *b = malloc(20), *c = calloc(1, 5);
    if (a != room || b != room + 10 || !c || c[4] || (c >= room && c < room + 1000)) return 1;
    free(b);
    return used == 10 ? 0 : 2;
}
