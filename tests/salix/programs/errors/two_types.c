// refused: x
int x;
long x;
int main(void) { return 0; }
