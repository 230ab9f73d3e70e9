// refused: _Generic
int main(void) { return _Generic(1, long: 0); }
