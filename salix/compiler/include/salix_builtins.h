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
static inline char *__builtin_strcpy(char *to, const char *from)
{
    char *start = to;
    while ((*to++ = *from++)) {}
    return start;
}
static inline int __builtin_strcmp(const char *a, const char *b)
{
    for (; *a && *a == *b; a++, b++) {}
    return (unsigned char)*a - (unsigned char)*b;
}
static inline int __builtin_strncmp(const char *a, const char *b, unsigned long count)
{
    for (; count && *a && *a == *b; a++, b++) count--;
    return count ? (unsigned char)*a - (unsigned char)*b : 0;
}
static inline char *__builtin_strchr(const char *text, int c)
{
    for (; *text != (char)c; text++)
        if (!*text) return 0;
    return (char *)text;
}
#define __builtin_prefetch(...) ((void)0)
#define __builtin_assume_aligned(pointer, ...) ((void *)(pointer))
