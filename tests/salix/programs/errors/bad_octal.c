// refused: 8
int main(void) { return 018; }
