// refused: floating point
int main(void) { return (int)1e3; }
