// refused: `int` cannot be cast to `vector of 4 int`
typedef int v4 __attribute__((vector_size(16)));
int main(void) { return ((v4)1)[0]; }
