// refused: a condition is a number or a pointer, but this is `vector of 4 int`
typedef int v4 __attribute__((vector_size(16)));
int f(v4 a, v4 b) { return (a < b ? a : b)[0]; }
