// returns 0: what the program calls its own things does not matter to the heap, nor how it declares it
#pragma pack(1)
#define next previous
#define while if
#define size_t short
#undef while
typedef char block, HEAD;
struct pool { char tag; int value; };
enum { end = 5, IN_USE, lists };
#define if(x) if (!(x)) {} else if (x)
extern char *malloc();
extern void free(void *), *calloc(unsigned long, unsigned long);

static int take(int x) { return x + 1; }
static int unlink = 3;

struct operations {
    void *(*get)(unsigned long, unsigned long);
    void (*drop)(void *);
};

int main(void)
{
    static const struct operations heap = {calloc, free};
    block *first = malloc(10ul);
    struct pool *pools = heap.get(3, sizeof(struct pool));
    void *(*again)(void *, unsigned long) = __builtin_realloc;
    int previous = take(end) + unlink;
    if (sizeof(struct pool) != 5 || !first || !pools) return 1;
    first[9] = 'x';
    pools[2].value = next;
    pools = again(pools, 100 * sizeof(struct pool));
    if (pools[2].value != 9 || pools[1].tag || first[9] != 'x') return 2;
    heap.drop(pools);
    heap.drop(first);
    heap.drop(0);
    return lists - 7;
}
