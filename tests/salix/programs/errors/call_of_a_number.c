// refused: function
int main(void) { int x = 1; return x(2); }
