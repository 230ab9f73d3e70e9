#include <math.h>
int main(void) { return sqrt(9); }
