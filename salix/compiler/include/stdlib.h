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

#define RAND_MAX 2147483647
extern int rand(void); /* the same sequence in each program that sets the same seed */
extern void srand(unsigned seed);
extern void *bsearch(const void *key, const void *elements, size_t count, size_t size,
                     int (*compare)(const void *, const void *));
extern void qsort(void *elements, size_t count, size_t size, int (*compare)(const void *, const void *));

/* From a heap of SALIX_HEAP_BYTES in the program's own memory, 270336 unless the program defines it. */
extern void *malloc(size_t bytes);
extern void *calloc(size_t count, size_t size);
extern void *realloc(void *memory, size_t bytes);
extern void *aligned_alloc(size_t alignment, size_t bytes);
extern void free(void *memory);
