// refused: array
int f(void)[3];
int main(void) { return 0; }
