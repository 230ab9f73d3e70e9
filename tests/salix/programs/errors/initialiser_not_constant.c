// refused: constant
static int f(void) { return 1; }
int x = f();
int main(void) { return x; }
