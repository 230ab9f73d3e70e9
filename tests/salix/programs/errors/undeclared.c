// refused: undeclared_name
int main(void) { return undeclared_name; }
