/* Two second-order filter sections in Q14 fixed point over n 16-bit samples: ten 32-bit coefficients, the samples. */
#include "kernel.h"

struct section {
    i32 b0, b1, b2, a1, a2;
};

u64 entry(u8 *mem, u64 length) {
    u64 repeats = parameter(mem, 0), h = 0;
    usize n = (usize)parameter(mem, 1);
    const struct section *sections = (const struct section *)(mem + HEADER);
    const i16 *samples = (const i16 *)(mem + HEADER + 40);
    i64 state[2][4] = {{0}};

    if (length < HEADER + 40 + 2 * n)
        return 0;
    for (u64 r = 0; r < repeats; r++) {
        for (usize i = 0; i < n; i++) {
            i64 x = samples[i];
            for (int k = 0; k < 2; k++) {
                const struct section *s = &sections[k];
                i64 y = (s->b0 * x + s->b1 * state[k][0] + s->b2 * state[k][1] - s->a1 * state[k][2] -
                         s->a2 * state[k][3]) >> 14;
                y = y > 32767 ? 32767 : y < -32768 ? -32768 : y;
                state[k][1] = state[k][0];
                state[k][0] = x;
                state[k][3] = state[k][2];
                state[k][2] = y;
                x = y;
            }
            h += (u64)x;
        }
        h = mix(h, (u64)state[1][2]);
    }
    return h;
}
