#pragma once
#include <stddef.h>
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1

/* Functions of the host. A Loop's host has none of them: return a code from the function that the runtime calls. */
extern _Noreturn void abort(void);
extern _Noreturn void exit(int status);

/* What comes with every program that calls it. Numbers that do not fit are the nearest ones that do. */
extern int abs(int number);
extern long labs(long number);
extern long long llabs(long long number);
extern int atoi(const char *text);
extern long atol(const char *text);
extern long long atoll(const char *text);
extern long strtol(const char *text, char **end, int base);
extern long long strtoll(const char *text, char **end, int base);
extern unsigned long strtoul(const char *text, char **end, int base);
extern unsigned long long strtoull(const char *text, char **end, int base);

typedef struct { int quot, rem; } div_t;
typedef struct { long quot, rem; } ldiv_t;
typedef struct { long long quot, rem; } lldiv_t;
static inline div_t div(int number, int divisor) { return (div_t){number / divisor, number % divisor}; }
static inline ldiv_t ldiv(long number, long divisor) { return (ldiv_t){number / divisor, number % divisor}; }
static inline lldiv_t lldiv(long long number, long long divisor) { return (lldiv_t){number / divisor, number % divisor}; }

/* The same sequence in each program that sets the same seed. */
#define RAND_MAX 2147483647
static unsigned long long __salix_random = 1;
static inline void srand(unsigned seed) { __salix_random = seed; }
static inline int rand(void)
{
    __salix_random = __salix_random * 6364136223846793005ULL + 1442695040888963407ULL;
    return (int)(__salix_random >> 33);
}

static inline void *bsearch(const void *key, const void *elements, size_t count, size_t size,
                            int (*compare)(const void *, const void *))
{
    const char *low = (const char *)elements;
    while (count > 0) {
        const char *middle = low + count / 2 * size;
        int order = compare(key, middle);
        if (order == 0) return (void *)middle;
        if (order > 0) {
            low = middle + size;
            count--;
        }
        count /= 2;
    }
    return 0;
}

static inline void __salix_exchange(char *a, char *b, size_t size)
{
    while (size-- > 0) {
        char byte = *a;
        *a++ = *b;
        *b++ = byte;
    }
}

/* Sorts in place by a heap: never more than about 2 n log n comparisons; equal elements may change places. */
static inline void qsort(void *elements, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    char *first = (char *)elements;
    size_t start = count / 2, end = count;
    while (end > 1) {
        size_t parent, child;
        if (start > 0) start--;
        else __salix_exchange(first, first + --end * size, size);
        for (parent = start; (child = parent * 2 + 1) < end; parent = child) {
            if (child + 1 < end && compare(first + child * size, first + (child + 1) * size) < 0) child++;
            if (compare(first + parent * size, first + child * size) >= 0) break;
            __salix_exchange(first + parent * size, first + child * size, size);
        }
    }
}
