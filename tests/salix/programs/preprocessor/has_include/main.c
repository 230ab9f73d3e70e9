// returns 0: __has_include asks for a file
#ifdef __has_include
#if !__has_include("there.h") || __has_include("not_there.h")
#error which files there are
#endif
#endif
#include "there.h"
int main(void) { return there; }
