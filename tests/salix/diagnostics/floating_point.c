int main(void) { double x = 1.0; return x; }
