// returns 0: blocks that are taken, grown, shrunk and freed in any order keep what is theirs
#include <stdlib.h>
#include <string.h>

#define SALIX_HEAP_BYTES 32768
#define BLOCKS 40

static struct {
    unsigned char *bytes;
    unsigned long size;
} blocks[BLOCKS];

static unsigned long state = 1;

static unsigned long below(unsigned long limit)
{
    state = state * 6364136223846793005UL + 1442695040888963407UL;
    return (state >> 33) % limit;
}

/* Each byte of a block tells the block and the place, so that blocks that overlap are noticed. */
static unsigned char mark(unsigned long block, unsigned long at)
{
    return (unsigned char)(block * 37 + at);
}

static int is_whole(unsigned long block, unsigned long length)
{
    unsigned long i;
    for (i = 0; i < length; i++)
        if (blocks[block].bytes[i] != mark(block, i)) return 0;
    return 1;
}

static void fill(unsigned long block)
{
    unsigned long i;
    for (i = 0; i < blocks[block].size; i++) blocks[block].bytes[i] = mark(block, i);
}

int main(void)
{
    unsigned long round, i, size;
    for (round = 0; round < 6000; round++) {
        i = below(BLOCKS);
        size = 1 + below(below(8) ? 300 : 1500);
        if (!blocks[i].bytes) {
            blocks[i].bytes = below(2) ? malloc(size) : calloc(size, 1);
            if (!blocks[i].bytes) return 1;
        } else if (below(3)) {
            unsigned long kept = size < blocks[i].size ? size : blocks[i].size;
            if (!is_whole(i, blocks[i].size)) return 2;
            blocks[i].bytes = realloc(blocks[i].bytes, size);
            if (!blocks[i].bytes) return 3;
            if (!is_whole(i, kept)) return 4;
        } else {
            if (!is_whole(i, blocks[i].size)) return 5;
            free(blocks[i].bytes);
            blocks[i].bytes = 0;
            continue;
        }
        if ((unsigned long)blocks[i].bytes % 16) return 6;
        blocks[i].size = size;
        fill(i);
    }
    for (i = 0; i < BLOCKS; i++) {
        if (blocks[i].bytes && !is_whole(i, blocks[i].size)) return 7;
        free(blocks[i].bytes);
    }
    if (!malloc(32000)) return 8; /* all of it is one piece again */
    return 0;
}
