/* Functions of C's library that keep something or call the program back, for programs that use one of them and do not
 * define it. Read behind such a program: none of its names or macros means anything here. What is not called is left out.
 */

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
