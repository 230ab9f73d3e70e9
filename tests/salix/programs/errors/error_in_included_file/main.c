// refused: wrong.h:2
#include "wrong.h"
int main(void) { return 0; }
