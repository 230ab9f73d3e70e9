// refused: const
int main(void) { const int a = 1; a = 2; return a; }
