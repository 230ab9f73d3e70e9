/* CRC-32 (IEEE), four bits at a time: a table of 16 words, then n bytes. Each repeat goes on where the last ended. */
#include "kernel.h"

u64 entry(u8 *mem, u64 length) {
    u64 repeats = parameter(mem, 0);
    usize n = (usize)parameter(mem, 1);
    const u32 *table = (const u32 *)(mem + HEADER);
    const u8 *bytes = mem + HEADER + 64;
    u32 crc = ~0u;

    if (length < HEADER + 64 + n)
        return 0;
    for (u64 r = 0; r < repeats; r++)
        for (usize i = 0; i < n; i++) {
            crc ^= bytes[i];
            crc = crc >> 4 ^ table[crc & 15];
            crc = crc >> 4 ^ table[crc & 15];
        }
    return ~crc;
}
