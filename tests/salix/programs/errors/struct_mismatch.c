// refused: struct
struct a { int x; };
struct b { int x; };
int main(void) { struct a a = {1}; struct b b = a; return b.x; }
