// refused: 0x1e+1
int main(void) { return 0x1e+1; }
