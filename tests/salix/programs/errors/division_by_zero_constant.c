// refused: constant
static int a[1 / 0];
int main(void) { return 0; }
