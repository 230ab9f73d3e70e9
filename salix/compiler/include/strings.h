#pragma once
#include <stddef.h>
extern int strcasecmp(const char *left, const char *right);
extern int strncasecmp(const char *left, const char *right, size_t length);
extern int ffs(int bits);
extern void bcopy(const void *from, void *to, size_t length);
extern void bzero(void *to, size_t length);
