// refused: no_such_file.h
#include "no_such_file.h"
int main(void) { return 0; }
