// refused: variadic
static int f(int n, ...) { return n; }
int main(void) { return f(0, 1, 2); }
