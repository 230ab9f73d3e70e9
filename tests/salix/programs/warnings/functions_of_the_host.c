// warns: `printf` is a function of the host, and the host of a Loop has none of that name
#include <stdio.h>
int main(void) { printf("%d\n", 3); return 0; }
