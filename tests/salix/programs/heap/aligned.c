// returns 0: aligned_alloc, for each alignment, between blocks that come and go
#include <stdlib.h>
#include <string.h>
#define SALIX_HEAP_BYTES 32768

int main(void)
{
    unsigned long alignment, round;
    char *kept[3] = {0, 0, 0};
    for (round = 0; round < 60; round++)
        for (alignment = 1; alignment <= 1024; alignment *= 2) {
            char *before = malloc(1 + round % 50), *one = aligned_alloc(alignment, 2 * alignment);
            if (!before || !one || (unsigned long)one % alignment) return 1;
            memset(before, 1, 1 + round % 50);
            memset(one, 2, 2 * alignment);
            free(before);
            free(kept[round % 3]);
            kept[round % 3] = one;
        }
    for (round = 0; round < 3; round++) free(kept[round]);
    if (!malloc(32000)) return 2; /* all of it is one piece again */
    return 0;
}
