// returns 0: calloc gives zeros, also of what was used before; products that no memory has give a null pointer
#include <stdlib.h>
#include <string.h>

int main(void)
{
    volatile unsigned long huge = 1UL << 33;
    unsigned char *dirty = malloc(5000), *clean;
    int i;
    if (!dirty) return 1;
    memset(dirty, 0xff, 5000);
    free(dirty);
    clean = calloc(100, 49);
    if (!clean) return 2;
    for (i = 0; i < 4900; i++)
        if (clean[i]) return 3;
    if (calloc(huge, huge) || calloc(huge, 1UL << 31)) return 4;
    free(clean);
    return 0;
}
