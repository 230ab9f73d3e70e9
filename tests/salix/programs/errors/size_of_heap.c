// refused: SALIX_HEAP_BYTES is the size of the heap in bytes, from 64 to 32 MiB
#include <stdlib.h>
#define SALIX_HEAP_BYTES 16
int main(void) { return malloc(3) != 0; }
