// returns 0: SALIX_HEAP_BYTES is the size of the heap, said in the program's own terms, wherever that stands
#include <stdlib.h>
#include <string.h>

struct record { char text[100]; };
enum { RECORDS = 2000 };
#define ROOM(count) ((count) * (sizeof(struct record) + OVERHEAD))
#define OVERHEAD 28

int main(void)
{
    struct record *records = malloc(RECORDS * sizeof *records), *more = malloc(400 * sizeof *records);
    if (!records || !more) return 1;
    memset(records, 1, RECORDS * sizeof *records);
    memset(more, 2, 400 * sizeof *more);
    if (records[RECORDS - 1].text[99] != 1) return 2;
#ifdef __salix__
    if (malloc(1 << 16)) return 3;
#endif
    free(records);
    free(more);
    return 0;
}
#define SALIX_HEAP_BYTES ROOM(RECORDS)
