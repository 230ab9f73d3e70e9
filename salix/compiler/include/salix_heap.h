/* malloc and its like, for programs that use one of them and do not define it. Read behind such a program: none of its
 * names or macros means anything here, but for the heap's size in bytes, SALIX_HEAP_BYTES.
 *
 * Blocks lie one after the other from the start of the pool; what is behind them was never used, or is used no more.
 * Each begins with a head, its payload is a multiple of 16 bytes behind it. Two free blocks are never neighbours, and
 * the last one is never free.
 *
 *     | before, size | payload ... | before, size | payload ... | before |  not used  |
 *     0                                                         end
 */
typedef unsigned long size_t;

typedef struct block {
    size_t before;                 /* size of the block in front; 0: there is none */
    size_t size;                   /* of the block with its head; 1 more if it is in use */
    struct block *next, *previous; /* in its list, if it is free */
} block;

enum { HEAD = 16, SMALLEST = 32, IN_USE = 1, LISTS = 24, ROOM = SALIX_HEAP_BYTES / 16 * 16 - HEAD };

static _Alignas(16) unsigned char pool[ROOM + HEAD];
static size_t end;
static block *lists[LISTS]; /* of free blocks: of less than 64 bytes, of less than 128, and so on */

static inline block *behind(block *one, size_t size) { return (block *)((unsigned char *)one + size); }
static inline block *block_of(void *payload) { return (block *)((unsigned char *)payload - HEAD); }
static inline void *payload_of(block *one) { return (unsigned char *)one + HEAD; }
static inline int is_at_end(block *one) { return (unsigned char *)one == pool + end; }

/* The size of a block with that much payload, which is no more than the pool has. */
static inline size_t size_for(size_t payload) { return payload <= 16 ? SMALLEST : (payload + HEAD + 15) / 16 * 16; }

static inline unsigned list_for(size_t size)
{
    unsigned list = 0;
    while (size >= 64) {
        size /= 2;
        list++;
    }
    return list;
}

static inline void unlink(block *one)
{
    if (one->next) one->next->previous = one->previous;
    if (one->previous) one->previous->next = one->next;
    else lists[list_for(one->size)] = one->next;
}

/* Frees a block that has no free neighbours. */
static inline void release(block *one, size_t size)
{
    block *next = behind(one, size);
    unsigned list = list_for(size);
    one->size = size;
    if (is_at_end(next)) {
        end -= size;
        return;
    }
    next->before = size;
    one->previous = 0;
    one->next = lists[list];
    if (one->next) one->next->previous = one;
    lists[list] = one;
}

/* Takes `size` bytes of a block that has `has`, and no free neighbour behind it; frees the rest. */
static inline void *take(block *one, size_t has, size_t size)
{
    if (has - size >= SMALLEST) {
        block *rest = behind(one, size);
        rest->before = size;
        release(rest, has - size);
        has = size;
    }
    one->size = has | IN_USE;
    return payload_of(one);
}

/* Adds `size` bytes to the block whose size was `has`, at the end. */
static inline void *take_at_end(block *one, size_t has, size_t size)
{
    end += size - has;
    one->size = size | IN_USE;
    behind(one, size)->before = size;
    return payload_of(one);
}

/* Faults if no block in use has this payload: it was freed before, or never came from here. */
static inline block *checked(void *payload)
{
    block *one = block_of(payload);
    size_t at = (size_t)((unsigned char *)one - pool);
    if (at % 16 || at >= end || !(one->size & IN_USE) || one->size - IN_USE > end - at ||
        behind(one, one->size - IN_USE)->before != one->size - IN_USE)
        __builtin_trap();
    return one;
}

static void *malloc(size_t payload)
{
    size_t size = size_for(payload);
    unsigned list;
    block *one;
    if (payload > ROOM) return 0;
    for (list = list_for(size); list < LISTS; list++)
        for (one = lists[list]; one; one = one->next)
            if (one->size >= size) {
                unlink(one);
                return take(one, one->size, size);
            }
    return size <= ROOM - end ? take_at_end((block *)(pool + end), 0, size) : 0;
}

static void free(void *payload)
{
    block *one, *next;
    size_t size;
    if (!payload) return;
    one = checked(payload);
    one->size = size = one->size - IN_USE;
    next = behind(one, size);
    if (!is_at_end(next) && !(next->size & IN_USE)) {
        unlink(next);
        size += next->size;
    }
    if (one->before && !(behind(one, -one->before)->size & IN_USE)) {
        one = behind(one, -one->before);
        unlink(one);
        size += one->size;
    }
    release(one, size);
}

static void *calloc(size_t count, size_t each)
{
    size_t *payload, i;
    if (each && count > ROOM / each) return 0;
    payload = malloc(count * each);
    for (i = 0; payload && i < count * each; i += 8) payload[i / 8] = 0;
    return payload;
}

static void *realloc(void *payload, size_t wanted)
{
    block *one, *next;
    size_t size = size_for(wanted), had, has, i;
    size_t *copy;
    if (!payload) return malloc(wanted);
    if (!wanted) {
        free(payload);
        return 0;
    }
    if (wanted > ROOM) return 0;
    one = checked(payload);
    had = has = one->size - IN_USE;
    next = behind(one, has);
    if (is_at_end(next)) {
        if (size > has && size - has <= ROOM - end) return take_at_end(one, has, size);
    } else if (!(next->size & IN_USE) && (size <= has || size - has <= next->size)) {
        unlink(next);
        has += next->size;
        behind(one, has)->before = has;
    }
    if (size <= has) return take(one, has, size);
    copy = malloc(wanted);
    if (!copy) return 0;
    for (i = 0; i < (had - HEAD) / 8; i++) copy[i] = ((size_t *)payload)[i];
    free(payload);
    return copy;
}

/* Makes two blocks of one that is in use, the first of `size` bytes. The second. */
static inline block *split(block *one, size_t size)
{
    size_t rest = one->size - IN_USE - size;
    block *second = behind(one, size);
    one->size = size | IN_USE;
    second->before = size;
    second->size = rest | IN_USE;
    behind(second, rest)->before = rest;
    return second;
}

static void *aligned_alloc(size_t alignment, size_t wanted)
{
    void *payload;
    block *one;
    size_t front;
    if (alignment & (alignment - 1) || alignment > ROOM || wanted > ROOM) return 0;
    if (alignment <= 16) return malloc(wanted);
    payload = malloc(wanted + alignment + SMALLEST);
    if (!payload) return 0;
    one = block_of(payload);
    front = -(size_t)payload & (alignment - 1);
    if (front && front < SMALLEST) front += alignment;
    if (front) {
        one = split(one, front);
        free(payload);
    }
    if (one->size - IN_USE - size_for(wanted) >= SMALLEST) free(payload_of(split(one, size_for(wanted))));
    return payload_of(one);
}

static inline char *copy_of(const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    size_t i;
    if (!copy) return 0;
    for (i = 0; i < length; i++) copy[i] = text[i];
    copy[length] = 0;
    return copy;
}

static char *strdup(const char *text)
{
    size_t length = 0;
    while (text[length]) length++;
    return copy_of(text, length);
}

static char *strndup(const char *text, size_t most)
{
    size_t length = 0;
    while (length < most && text[length]) length++;
    return copy_of(text, length);
}
