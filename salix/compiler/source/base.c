/* What everything else rests on: number types, memory that is never freed, and how the compiler gives up. */

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int i32;
typedef long long i64;

extern void *memcpy(void *to, const void *from, unsigned long length);
extern void *memset(void *to, int byte, unsigned long length);
extern int memcmp(const void *left, const void *right, unsigned long length);
extern unsigned long strlen(const char *text);

/* What lasts grows from the low end, what one function needs from the high end; both are zero when handed out. */
#define ARENA_BYTES (4300 << 10)
static u64 arena[ARENA_BYTES / 8];
static u64 kept_bytes;
static u64 scratch_bytes;
static u64 most_bytes; /* that were in use at a time */

static void fatal(u32 position, const char *text);

static void *take(u64 size, u64 start)
{
    u8 *memory = (u8 *)arena + start;
    if (kept_bytes + scratch_bytes > most_bytes) most_bytes = kept_bytes + scratch_bytes;
    memset(memory, 0, size);
    return memory;
}

static void check_room(u64 size)
{
    if (size > ARENA_BYTES || kept_bytes + scratch_bytes + size > ARENA_BYTES)
        fatal(0, "the program is too big for the compiler's memory; make it shorter, or split it into several Loops");
}

/* What a table took that is needed no more: it is handed out before the arena's. */
static u8 *spare;
static u64 spare_bytes;

/* `size` bytes that last as long as the build. */
static void *keep(u64 size)
{
    size = (size + 7) & ~7ULL;
    if (size <= spare_bytes) {
        spare_bytes -= size;
        return memset(spare + spare_bytes, 0, size);
    }
    check_room(size);
    kept_bytes += size;
    return take(size, kept_bytes - size);
}

/* `size` bytes until `scratch_bytes` is set back. */
static void *scratch(u64 size)
{
    size = (size + 7) & ~7ULL;
    check_room(size);
    scratch_bytes += size;
    return take(size, ARENA_BYTES - scratch_bytes);
}

static i32 starts_with(const char *text, const char *start)
{
    while (*start)
        if (*text++ != *start++) return 0;
    return 1;
}
