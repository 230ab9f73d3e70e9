// refused: #nonsense
#nonsense 1
int main(void) { return 0; }
