int f(void) { return 1; }
int main(void) { if (f = 1) return 1; int f(void) { return 2; } return 0; }
