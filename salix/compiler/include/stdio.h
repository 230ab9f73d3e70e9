#pragma once
#include <stddef.h>
/* What comes with every program that calls it; there are no conversions of floating point. */
extern int sprintf(char *to, const char *format, ...);
extern int snprintf(char *to, size_t room, const char *format, ...);

/* Functions of the host. A Loop's host has none of them: write messages with sf_log of "spinfoam.h". */
typedef struct __salix_file FILE;
#define EOF (-1)
#define BUFSIZ 1024
#define stdin ((FILE *)1)
#define stdout ((FILE *)2)
#define stderr ((FILE *)3)
extern int printf(const char *format, ...);
extern int fprintf(FILE *file, const char *format, ...);
extern int puts(const char *text);
extern int putchar(int character);
extern int fputs(const char *text, FILE *file);
extern int fputc(int character, FILE *file);
extern int putc(int character, FILE *file);
extern size_t fwrite(const void *from, size_t size, size_t count, FILE *file);
extern int fflush(FILE *file);
extern void perror(const char *text);
extern int getchar(void);
