// refused: the elements of a vector are integers
struct s { int x; } __attribute__((aligned(4)));
typedef struct s v2 __attribute__((vector_size(8)));
int main(void) { return sizeof(v2); }
