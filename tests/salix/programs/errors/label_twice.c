// refused: again
int main(void) { again: ; again: return 0; }
