// returns 0: all the directives that choose
#define YES 1
#define EMPTY
int n = 0
#ifdef YES
    + 1
#else
    + 1000
#endif
#ifndef YES
    + 1000
#elif 1
    + 10
#else
    + 1000
#endif
#if defined YES && defined(EMPTY) && !defined NO
    + 100
#endif
#if 0
    + 1000
#elif 0
    + 2000
#elif YES
    + 5
#elif 1
    + 4000
#else
    + 8000
#endif
#if 1
#else
    + 1
#endif
    ;
int main(void) { return n == 116 ? 0 : 1; }
