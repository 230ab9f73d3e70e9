// refused: floating point
static int f(long double x) { return x > 0; }
int main(void) { return f(1); }
