#pragma once
/* Functions that GNU compilers know by themselves; read when a program names one. */

static inline int __builtin_popcountll(unsigned long long x)
{
    x -= x >> 1 & 0x5555555555555555ULL;
    x = (x & 0x3333333333333333ULL) + (x >> 2 & 0x3333333333333333ULL);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
    return (int)(x * 0x0101010101010101ULL >> 56);
}
static inline int __builtin_popcount(unsigned x) { return __builtin_popcountll(x); }
static inline int __builtin_popcountl(unsigned long x) { return __builtin_popcountll(x); }
static inline int __builtin_parityll(unsigned long long x) { return __builtin_popcountll(x) & 1; }
static inline int __builtin_parity(unsigned x) { return __builtin_popcountll(x) & 1; }
static inline int __builtin_parityl(unsigned long x) { return __builtin_popcountll(x) & 1; }
static inline int __builtin_ctzll(unsigned long long x) { return __builtin_popcountll((x & -x) - 1); }
static inline int __builtin_ctz(unsigned x) { return __builtin_popcountll((x & -x) - 1u); }
static inline int __builtin_ctzl(unsigned long x) { return __builtin_ctzll(x); }
static inline int __builtin_clzll(unsigned long long x)
{
    x |= x >> 1;
    x |= x >> 2;
    x |= x >> 4;
    x |= x >> 8;
    x |= x >> 16;
    x |= x >> 32;
    return 64 - __builtin_popcountll(x);
}
static inline int __builtin_clz(unsigned x) { return __builtin_clzll(x) - 32; }
static inline int __builtin_clzl(unsigned long x) { return __builtin_clzll(x); }
static inline int __builtin_ffsll(long long x) { return x ? __builtin_ctzll((unsigned long long)x) + 1 : 0; }
static inline int __builtin_ffs(int x) { return x ? __builtin_ctz((unsigned)x) + 1 : 0; }
static inline int __builtin_ffsl(long x) { return __builtin_ffsll(x); }
static inline int __builtin_clrsbll(long long x) { return x < 0 ? __builtin_clrsbll(~x) : x ? __builtin_clzll((unsigned long long)x) - 1 : 63; }
static inline int __builtin_clrsbl(long x) { return __builtin_clrsbll(x); }
static inline int __builtin_clrsb(int x) { return __builtin_clrsbll(x) - 32; }
static inline int __builtin_abs(int x) { return x < 0 ? -x : x; }
static inline long __builtin_labs(long x) { return x < 0 ? -x : x; }
static inline long long __builtin_llabs(long long x) { return x < 0 ? -x : x; }
#define __builtin_prefetch(address, ...) ((void)(address))
#define __builtin_return_address(level) ((void *)0) /* code has no addresses */
#define __builtin_extract_return_addr(address) (address)
#define __builtin_frame_address(level) ({ char __here; (void *)&__here; })
#define __builtin_assume_aligned(pointer, ...) ((void *)(pointer))

/* Sums and products as if they had all bits: a sign and 64 bits of magnitude, and whether there would be more. */
static inline int __salix_add(unsigned long long *m, int *n, int an, unsigned long long am, int bn, unsigned long long bm)
{
    if (an == bn) {
        *n = an;
        *m = am + bm;
        return *m < am;
    }
    *n = am >= bm ? an : bn;
    *m = am >= bm ? am - bm : bm - am;
    if (*m == 0) *n = 0;
    return 0;
}
static inline int __salix_sub(unsigned long long *m, int *n, int an, unsigned long long am, int bn, unsigned long long bm)
{
    return __salix_add(m, n, an, am, bm ? !bn : 0, bm);
}
static inline int __salix_mul(unsigned long long *m, int *n, int an, unsigned long long am, int bn, unsigned long long bm)
{
    *m = am * bm;
    *n = *m ? an != bn : 0;
    return am && *m / am != bm;
}
#define __salix_overflow(make, a, b, result) ({ \
    __typeof__(a) __a = (a); \
    __typeof__(b) __b = (b); \
    __typeof__(*(result)) *__result = (result); \
    unsigned long long __m; \
    int __n, __over = make(&__m, &__n, __a < 0, __a < 0 ? 0 - (unsigned long long)__a : (unsigned long long)__a, \
                           __b < 0, __b < 0 ? 0 - (unsigned long long)__b : (unsigned long long)__b); \
    *__result = (__typeof__(*(result)))(__n ? 0 - __m : __m); \
    __over || (__n ? !(*__result < 0 && 0 - (unsigned long long)*__result == __m) \
                   : !(*__result >= 0 && (unsigned long long)*__result == __m)); })
#define __builtin_add_overflow(a, b, result) __salix_overflow(__salix_add, a, b, result)
#define __builtin_sub_overflow(a, b, result) __salix_overflow(__salix_sub, a, b, result)
#define __builtin_mul_overflow(a, b, result) __salix_overflow(__salix_mul, a, b, result)
