// refused: variadic
int printf(const char *, ...);
int main(void) { printf("hello\n"); return 0; }
