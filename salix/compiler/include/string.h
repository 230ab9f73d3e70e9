#pragma once
#include <stddef.h>
/* What comes with every program that calls it. */
extern void *memcpy(void *to, const void *from, size_t length);
extern void *memmove(void *to, const void *from, size_t length);
extern void *memset(void *to, int byte, size_t length);
extern int memcmp(const void *left, const void *right, size_t length);
extern void *memchr(const void *bytes, int byte, size_t length);
extern void *memrchr(const void *bytes, int byte, size_t length);
extern void *mempcpy(void *to, const void *from, size_t length);
extern size_t strlen(const char *text);
extern size_t strnlen(const char *text, size_t most);
extern int strcmp(const char *left, const char *right);
extern int strncmp(const char *left, const char *right, size_t length);
extern char *strcpy(char *to, const char *from);
extern char *strncpy(char *to, const char *from, size_t length);
extern char *stpcpy(char *to, const char *from);
extern char *stpncpy(char *to, const char *from, size_t length);
extern char *strcat(char *to, const char *from);
extern char *strncat(char *to, const char *from, size_t length);
extern char *strchr(const char *text, int character);
extern char *strrchr(const char *text, int character);
extern char *strstr(const char *text, const char *wanted);
extern size_t strspn(const char *text, const char *characters);
extern size_t strcspn(const char *text, const char *characters);
extern char *strpbrk(const char *text, const char *characters);
extern char *strtok_r(char *text, const char *separators, char **rest);
extern char *strdup(const char *text); /* for free of stdlib.h */
extern char *strndup(const char *text, size_t most);
extern char *strtok(char *text, const char *separators);
#include <strings.h>
