// refused: there is no floating point here
typedef float v4 __attribute__((vector_size(16)));
int main(void) { return sizeof(v4); }
