// refused: floating point
int main(void) { return (int)(1.5 * 2); }
