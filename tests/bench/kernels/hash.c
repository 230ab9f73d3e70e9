/* Counters in a hash table with open addressing: n 64-bit keys, a + 1 (a power of two) slots of key and count. */
#include "kernel.h"

struct slot {
    u64 key, count; /* key 0: free */
};

static __attribute__((noinline)) struct slot *find(struct slot *table, u64 mask, u64 key) {
    u64 i = (key * 0x9E3779B97F4A7C15ull >> 32) & mask;
    while (table[i].key && table[i].key != key)
        i = (i + 1) & mask;
    table[i].key = key;
    return &table[i];
}

u64 entry(u8 *mem, u64 length) {
    u64 repeats = parameter(mem, 0), mask = parameter(mem, 2), h = 0;
    usize n = (usize)parameter(mem, 1);
    const u64 *keys = (const u64 *)(mem + HEADER);
    struct slot *table = (struct slot *)(keys + n);

    if (length < HEADER + 8 * n + 16 * (mask + 1))
        return 0;
    for (u64 r = 0; r < repeats; r++) {
        u64 fold = r % 4 * 2048 + 1;
        for (usize i = 0; i < n; i++)
            find(table, mask, (keys[i] & 2047) + fold)->count += i;
        h = mix(h, find(table, mask, (keys[r % n] & 2047) + fold)->count);
    }
    return h;
}
