// refused: bit-field
struct s { int a : 3; };
int main(void) { struct s s = {1}; int *p = &s.a; return *p; }
