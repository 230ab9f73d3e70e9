#ifndef OWN_STDINT
#define OWN_STDINT
#if !__has_include_next(<stdint.h>) || __has_include_next("main.c")
#error which files come behind
#endif
#include_next <stdint.h>
static int32_t own_limit = 77;
#endif
