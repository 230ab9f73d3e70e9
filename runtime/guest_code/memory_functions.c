/* The five functions that C compilers call on their own, as guest code: checked and preempted like any other.
 *
 * None reads or writes a byte outside the ranges that it is given. Eight bytes at a time, unaligned where the pointers
 * are: the target allows it. The last eight bytes of a range (the first, when it is copied backwards) overlap the ones
 * before; they are loaded before anything is stored, which is what makes overlapping ranges right in memmove.
 *
 * Compiled with -ffreestanding, without which clang would turn the loops into calls to these very functions. No data.
 */
typedef unsigned char u8;
typedef unsigned long u64;

#define WORD(pointer) (*(u64 *)(pointer))
#define INLINE static inline __attribute__((always_inline))

INLINE void copy_forwards(u8 *to, const u8 *from, u64 length) {
    if (length < 8) {
        for (u64 i = 0; i < length; i++)
            to[i] = from[i];
        return;
    }
    u8 *last = to + length - 8;
    u64 tail = WORD(from + length - 8);
    for (; length >= 32; to += 32, from += 32, length -= 32) {
        WORD(to) = WORD(from);
        WORD(to + 8) = WORD(from + 8);
        WORD(to + 16) = WORD(from + 16);
        WORD(to + 24) = WORD(from + 24);
    }
    for (; length >= 8; to += 8, from += 8, length -= 8)
        WORD(to) = WORD(from);
    WORD(last) = tail;
}

INLINE void copy_backwards(u8 *to, const u8 *from, u64 length) {
    if (length < 8) {
        while (length-- > 0)
            to[length] = from[length];
        return;
    }
    u64 head = WORD(from);
    for (; length >= 32; length -= 32) {
        WORD(to + length - 8) = WORD(from + length - 8);
        WORD(to + length - 16) = WORD(from + length - 16);
        WORD(to + length - 24) = WORD(from + length - 24);
        WORD(to + length - 32) = WORD(from + length - 32);
    }
    for (; length >= 8; length -= 8)
        WORD(to + length - 8) = WORD(from + length - 8);
    WORD(to) = head;
}

void *memcpy(void *to, const void *from, u64 length) {
    copy_forwards(to, from, length);
    return to;
}

void *memmove(void *to, const void *from, u64 length) {
    if ((u64)to - (u64)from >= length) /* `to` is not inside [from, from + length) */
        copy_forwards(to, from, length);
    else
        copy_backwards(to, from, length);
    return to;
}

void *memset(void *to, int value, u64 length) {
    u8 *at = to;
    if (length < 8) {
        for (u64 i = 0; i < length; i++)
            at[i] = value;
        return to;
    }
    u64 word = (u8)value * 0x0101010101010101UL;
    WORD(at + length - 8) = word;
    for (; length >= 32; at += 32, length -= 32) {
        WORD(at) = word;
        WORD(at + 8) = word;
        WORD(at + 16) = word;
        WORD(at + 24) = word;
    }
    for (; length >= 8; at += 8, length -= 8)
        WORD(at) = word;
    return to;
}

int memcmp(const void *left, const void *right, u64 length) {
    const u8 *a = left, *b = right;
    for (; length >= 8; a += 8, b += 8, length -= 8) {
        u64 x = WORD(a), y = WORD(b);
        if (x != y) /* the first byte that differs decides: make it the most significant */
            return __builtin_bswap64(x) < __builtin_bswap64(y) ? -1 : 1;
    }
    for (; length > 0; a++, b++, length--)
        if (*a != *b)
            return *a < *b ? -1 : 1;
    return 0;
}

u64 strlen(const char *text) {
    u64 length = 0;
    while (text[length] != 0)
        length++;
    return length;
}
