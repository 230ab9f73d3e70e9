// warns: hint: use a static array of the greatest length that is needed
#include <stdlib.h>
int main(void) { char *p = malloc(3); return p != 0; }
