// refused: this operator does not go with `vector of 4 int` and `vector of 2 long`
typedef int v4 __attribute__((vector_size(16)));
typedef long v2 __attribute__((vector_size(16)));
int main(void) { return ((v4){1} + (v2){2})[0]; }
