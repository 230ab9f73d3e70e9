// returns 0: malloc gives a null pointer when it has no more, and none of what it gave overlaps
#include <stdlib.h>
#define SALIX_HEAP_BYTES 4096
static unsigned char *all[300];

int main(void)
{
#ifdef __salix__
    int count = 0, i, k;
    while (count < 300 && (all[count] = malloc(24)) != 0) {
        for (i = 0; i < 24; i++) all[count][i] = (unsigned char)count;
        count++;
    }
    if (count < 80 || count > 128) return 1;
    for (i = 0; i < count; i++)
        for (k = 0; k < 24; k++)
            if (all[i][k] != i) return 2;
    if (malloc(5000) || calloc(~0UL / 2, 4) || realloc(all[0], 1UL << 60)) return 3;
    free(all[7]);
    return malloc(20) == all[7] ? 0 : 4;
#else
    return all[0] != 0;
#endif
}
