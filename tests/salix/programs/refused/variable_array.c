// refused: must be a constant
int main(void) { volatile int n = 3; int a[n]; a[0] = 0; return a[0]; }
