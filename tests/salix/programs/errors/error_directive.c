// refused: stop right here
#error stop right here
int main(void) { return 0; }
