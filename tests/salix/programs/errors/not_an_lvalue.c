// refused: assign
int main(void) { int a = 1; a + 1 = 2; return a; }
