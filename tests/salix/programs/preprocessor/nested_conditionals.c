// returns 0: conditionals within skipped and taken groups
int n
#if 0
#if 1
this is not C
#else
nor is 'this
#endif
#include "no such file"
#error skipped
#else
#  if 1
#    if 0
    = 1
#    else
    = 2
#      ifdef NOT
    + 10
#      endif
#    endif
#  endif
#endif
;
#if 0
#elif 1
#if 1
static int m = 3;
#endif
#elif this is not looked at
#endif
int main(void) { return n + m - 5; }
