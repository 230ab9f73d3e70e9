// refused: struct
struct s { int a; };
int main(void) { struct s s = {1}; if (s) return 0; return 1; }
