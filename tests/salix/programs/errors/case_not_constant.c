// refused: constant
int main(void) { int x = 1; switch (x) { case x: return 0; } return 1; }
