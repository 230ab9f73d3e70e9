// refused: 33
struct s { int a : 33; };
int main(void) { return 0; }
