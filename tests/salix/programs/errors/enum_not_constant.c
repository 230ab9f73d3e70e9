// refused: constant
int x;
enum { A = x };
int main(void) { return A; }
