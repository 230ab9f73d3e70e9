// refused: #else
#else
int main(void) { return 0; }
