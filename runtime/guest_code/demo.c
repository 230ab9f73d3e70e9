/* What `make run` runs: counts the lines of a log by level, prints the errors, returns a checksum.
 *
 * `memory` holds lines of the form "LEVEL text\n". The program uses all that a program has: constants and a table of
 * pointers (.rodata), counters (.bss), functions of its own, functions in guest code (memcmp, memcpy), and a helper.
 */
typedef unsigned char u8;
typedef unsigned long u64;

extern u64 print(const char *text, u64 length); /* the host's: one line of output */
extern int memcmp(const void *left, const void *right, u64 length);
extern void *memcpy(void *to, const void *from, u64 length);

#define NOINLINE __attribute__((noinline))
#define LEVELS 4
#define ERROR 3
#define LINE_BYTES 80

struct level {
    const char *name;
    u64 length;
};

static const struct level levels[LEVELS] = {{"DEBUG", 5}, {"INFO", 4}, {"WARN", 4}, {"ERROR", 5}};
static u64 counts[LEVELS];
static u8 line[LINE_BYTES]; /* what is printed: the error's text, cut to fit */

static NOINLINE u64 level_of(const u8 *text, u64 length) {
#pragma clang loop unroll(disable) /* keep the table */
    for (u64 i = 0; i < LEVELS; i++) {
        u64 n = levels[i].length;
        if (length > n && text[n] == ' ' && memcmp(text, levels[i].name, n) == 0)
            return i;
    }
    return LEVELS;
}

static NOINLINE u64 mixed(u64 checksum, const u8 *text, u64 length) {
    for (u64 i = 0; i < length; i++)
        checksum = (checksum ^ text[i]) * 1099511628211UL; /* FNV-1a */
    return checksum;
}

static NOINLINE void print_error(const u8 *text, u64 length) {
    u64 shown = length < LINE_BYTES ? length : LINE_BYTES;
    memcpy(line, text, shown);
    print((const char *)line, shown);
}

u64 entry(u8 *memory, u64 length) {
    u64 checksum = 14695981039346656037UL;
    for (u64 start = 0; start < length;) {
        u64 end = start;
        while (end < length && memory[end] != '\n')
            end++;
        u64 level = level_of(memory + start, end - start);
        if (level < LEVELS)
            counts[level]++;
        if (level == ERROR)
            print_error(memory + start, end - start);
        checksum = mixed(checksum, memory + start, end - start);
        start = end + 1;
    }
    for (u64 i = 0; i < LEVELS; i++)
        checksum = mixed(checksum, (const u8 *)&counts[i], sizeof counts[i]);
    return checksum;
}
