// refused: argument
#define TWO(a, b) (a + b)
int main(void) { return TWO(1); }
