// returns 0: #include_next leads from a file of the program to the supplied one of the same name
#include "stdint.h"
int main(void) { int32_t x = own_limit; return x - 77; }
