// refused: must be a constant
static int f(int n) { char a[4][n]; a[0][0] = 0; return a[0][0]; }
int main(void) { return f(3); }
