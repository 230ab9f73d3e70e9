// refused: floating point
float x;
int main(void) { return 0; }
