/* Shell sort of n 32-bit numbers, copied behind themselves first and multiplied by an odd number that the repeat picks. */
#include "kernel.h"

static __attribute__((noinline)) void sort(u32 *v, usize n) {
    usize gap = 1;
    while (gap < n / 3)
        gap = 3 * gap + 1;
    for (; gap; gap /= 3)
        for (usize i = gap; i < n; i++) {
            u32 x = v[i];
            usize j = i;
            for (; j >= gap && v[j - gap] > x; j -= gap)
                v[j] = v[j - gap];
            v[j] = x;
        }
}

u64 entry(u8 *mem, u64 length) {
    u64 repeats = parameter(mem, 0), h = 0;
    usize n = (usize)parameter(mem, 1);
    const u32 *numbers = (const u32 *)(mem + HEADER);
    u32 *v = (u32 *)(mem + HEADER) + n;

    if (length < HEADER + 8 * n)
        return 0;
    for (u64 r = 0; r < repeats; r++) {
        for (usize i = 0; i < n; i++)
            v[i] = numbers[i] * (2 * (u32)r + 1); /* another order each time, or branches are learned */
        sort(v, n);
        for (usize i = 0; i < n; i += 64)
            h = mix(h, v[i]);
    }
    return h;
}
