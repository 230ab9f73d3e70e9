// refused: third
int main(void) { first = 1; return 0; }
int f(void) { return second; }
int g(void) { return third; }
