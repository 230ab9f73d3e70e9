// refused: this number may not fit the elements of the vector; cast it to `short`
typedef short v4 __attribute__((vector_size(8)));
int f(v4 v, int n) { return (v + n)[0]; }
