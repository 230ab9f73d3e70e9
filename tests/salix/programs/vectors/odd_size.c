// refused: a vector of `int` has a power of two of bytes, from 4 to 64
typedef int v3 __attribute__((vector_size(12)));
int main(void) { return sizeof(v3); }
