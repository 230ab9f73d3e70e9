/* Functions of C's library that keep something or call the program back. Read behind a program that calls one and does
 * not define it; without the program's macros, but for SALIX_HEAP_BYTES. What is not called is left out. */

static char *__salix_rest_of_tokens;
inline char *strtok(char *text, const char *separators)
{
    return strtok_r(text, separators, &__salix_rest_of_tokens);
}

/* The same sequence in each program that sets the same seed. */
static unsigned long __salix_random = 1;
inline void srand(unsigned seed) { __salix_random = seed; }
inline int rand(void)
{
    __salix_random = __salix_random * 6364136223846793005UL + 1442695040888963407UL;
    return (int)(__salix_random >> 33);
}

inline void *bsearch(const void *key, const void *elements, unsigned long count, unsigned long size,
                     int (*compare)(const void *, const void *))
{
    const char *low = (const char *)elements;
    while (count > 0) {
        const char *middle = low + count / 2 * size;
        int order = compare(key, middle);
        if (order == 0) return (void *)middle;
        if (order > 0) {
            low = middle + size;
            count--;
        }
        count /= 2;
    }
    return 0;
}

static void __salix_exchange(char *a, char *b, unsigned long size)
{
    while (size-- > 0) {
        char byte = *a;
        *a++ = *b;
        *b++ = byte;
    }
}

/* Sorts in place by a heap: never more than about 2 n log n comparisons; equal elements may change places. */
inline void qsort(void *elements, unsigned long count, unsigned long size, int (*compare)(const void *, const void *))
{
    char *first = (char *)elements;
    unsigned long start = count / 2, end = count;
    while (end > 1) {
        unsigned long parent, child;
        if (start > 0) start--;
        else __salix_exchange(first, first + --end * size, size);
        for (parent = start; (child = parent * 2 + 1) < end; parent = child) {
            if (child + 1 < end && compare(first + child * size, first + (child + 1) * size) < 0) child++;
            if (compare(first + parent * size, first + child * size) >= 0) break;
            __salix_exchange(first + parent * size, first + child * size, size);
        }
    }
}

/* ---- the heap: blocks of 16 bytes and their multiples, the first of each says how many it has ---- */

#ifndef SALIX_HEAP_BYTES
#define SALIX_HEAP_BYTES 262144
#endif
typedef struct __salix_block {
    unsigned long units; /* with this one */
    struct __salix_block *next; /* free one, at a higher address */
} __salix_block;
enum { __SALIX_UNITS = (SALIX_HEAP_BYTES) / sizeof(__salix_block) };
static __attribute__((aligned(16))) __salix_block __salix_heap[__SALIX_UNITS + 1]; /* the first one starts the list */
static int __salix_heap_is_ready;

/* The first free block that is big enough, or its end. 0: there is none. */
inline void *malloc(unsigned long bytes)
{
    unsigned long units = (bytes + sizeof(__salix_block) - 1) / sizeof(__salix_block) + 1;
    __salix_block *before, *block;
    if (bytes > SALIX_HEAP_BYTES) return 0;
    if (!__salix_heap_is_ready) {
        __salix_heap_is_ready = 1;
        __salix_heap[0].next = &__salix_heap[1];
        __salix_heap[1].units = __SALIX_UNITS;
    }
    for (before = __salix_heap; (block = before->next) != 0; before = block) {
        if (block->units < units) continue;
        if (block->units == units) {
            before->next = block->next;
        } else {
            block->units -= units;
            block += block->units;
            block->units = units;
        }
        return block + 1;
    }
    return 0;
}

/* Puts a block back among the free ones, and joins it with those beside it. */
inline void free(void *memory)
{
    __salix_block *block = (__salix_block *)memory - 1, *before = __salix_heap;
    if (!memory) return;
    while (before->next && before->next < block) before = before->next;
    block->next = before->next;
    before->next = block;
    if (block->next && block + block->units == block->next) {
        block->units += block->next->units;
        block->next = block->next->next;
    }
    if (before != __salix_heap && before + before->units == block) {
        before->units += block->units;
        before->next = block->next;
    }
}

inline void *calloc(unsigned long count, unsigned long size)
{
    void *memory = size && count > SALIX_HEAP_BYTES / size ? 0 : malloc(count * size);
    if (memory) memset(memory, 0, count * size);
    return memory;
}

inline void *realloc(void *memory, unsigned long bytes)
{
    unsigned long before = memory ? (((__salix_block *)memory)[-1].units - 1) * sizeof(__salix_block) : 0;
    void *moved = malloc(bytes);
    if (!moved) return 0;
    if (memory) memcpy(moved, memory, before < bytes ? before : bytes);
    free(memory);
    return moved;
}
