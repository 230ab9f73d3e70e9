/* Boyer-Moore-Horspool: a table of 256 words to fill, the pattern (a bytes, in 32), the text (n bytes). */
#include "kernel.h"

u64 entry(u8 *mem, u64 length) {
    u64 repeats = parameter(mem, 0), h = 0;
    usize n = (usize)parameter(mem, 1), m = (usize)parameter(mem, 2);
    u32 *skip = (u32 *)(mem + HEADER);
    const u8 *pattern = mem + HEADER + 1024, *text = pattern + 32;

    if (length < HEADER + 1024 + 32 + n || m > 32)
        return 0;
    for (u64 r = 0; r < repeats; r++) {
        for (int c = 0; c < 256; c++)
            skip[c] = m;
        for (usize i = 0; i + 1 < m; i++)
            skip[pattern[i]] = m - 1 - i;
        for (usize at = 0; at + m <= n;) {
            usize i = m;
            while (i && pattern[i - 1] == text[at + i - 1])
                i--;
            if (i == 0) {
                h = mix(h, at);
                at++;
            } else
                at += skip[text[at + m - 1]];
        }
    }
    return h;
}
