// refused: floating point
_Complex double z;
int main(void) { return 0; }
