// refused: SALIX_HEAP_BYTES must be a constant that is known when the program is compiled
#include <stdlib.h>
int bytes;
#define SALIX_HEAP_BYTES bytes
int main(void) { return malloc(3) != 0; }
