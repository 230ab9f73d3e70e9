#pragma once
#include <stddef.h>
/* What comes with every program. */
extern void *memcpy(void *to, const void *from, size_t length);
extern void *memmove(void *to, const void *from, size_t length);
extern void *memset(void *to, int byte, size_t length);
extern int memcmp(const void *left, const void *right, size_t length);
extern size_t strlen(const char *text);
