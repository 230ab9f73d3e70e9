// refused: floating point
int main(void) { double d = 0; return (int)d; }
