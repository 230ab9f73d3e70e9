// returns 0: a file that includes itself until a counter says stop
#ifndef LEVEL
#define LEVEL 1
static int levels;
#include "main.c"
int main(void) { return two + three - 5; }
#elif LEVEL == 1
#undef LEVEL
#define LEVEL 2
static int two = 2;
#include "main.c"
#elif LEVEL == 2
#undef LEVEL
#define LEVEL 3
static int three = 3;
#endif
