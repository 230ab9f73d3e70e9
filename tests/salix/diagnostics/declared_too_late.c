int main(void) { return foo; }
int foo = 3;
