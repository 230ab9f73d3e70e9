/* `mem` begins with four numbers: repeats, n, a, b; the payload follows. Everything that a kernel needs lies in `mem`.
 * The same sources are built for eBPF, for this machine (gcc) and for wasm32, where `usize` has 32 bits. */
#ifndef KERNEL_H
#define KERNEL_H

typedef unsigned char u8;
typedef short i16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef __SIZE_TYPE__ usize;

#define HEADER 32

static inline u64 parameter(const u8 *mem, int i) { return ((const u64 *)mem)[i]; }
static inline u64 mix(u64 h, u64 value) { return ((h << 13 | h >> 51) ^ value) * 0x9E3779B97F4A7C15ull; }

u64 entry(u8 *mem, u64 length);

#endif
