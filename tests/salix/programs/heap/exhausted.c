// returns 0: there is no more than there is room for, and what was freed, in any order, is one piece again
#include <stdlib.h>

#ifdef __salix__
#define SALIX_HEAP_BYTES 32768
#define MOST 4096
#else
#define MOST 1000 /* elsewhere there may be no end */
#endif

static void *taken[MOST];

static int take_all(unsigned long size)
{
    int count = 0;
    while (count < MOST && (taken[count] = malloc(size))) count++;
    return count;
}

int main(void)
{
    int i, first = take_all(40), count;
    void *all;
    for (i = 0; i < first; i += 3) free(taken[i]);
    for (i = 2; i < first; i += 3) free(taken[i]);
    for (i = first - 1; i >= 0; i--)
        if (i % 3 == 1) free(taken[i]);
    count = take_all(40);
    if (count != first || count < 500) return 1;
    for (i = 0; i < count; i++) free(taken[i]);
    all = malloc(32000);
    if (!all) return 2;
    free(all);
#ifdef __salix__
    if (malloc(1 << 15) || malloc(~0UL) || malloc(~0UL - 15) || malloc(1UL << 40)) return 3;
    if (realloc(malloc(10), 1 << 15) || aligned_alloc(1 << 16, 1 << 16) || aligned_alloc(24, 24)) return 4;
#endif
    return 0;
}
