// refused: character
int main(void) { return ''; }
