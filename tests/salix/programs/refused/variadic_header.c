// refused: hint: a function has a fixed number of parameters here, or takes an array and its length
#include <stdarg.h>
int main(void) { return 0; }
