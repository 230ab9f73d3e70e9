// refused: floating point
struct s { int a; float b; };
int main(void) { struct s s = {1}; return s.a; }
