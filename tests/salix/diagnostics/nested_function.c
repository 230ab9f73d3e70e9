int f(int x) { void leave(void) { goto end; } leave(); end: return x; }
int main(void) { if (f = 1) return 1; int f(void) { return 2; } int f(void) { return 3; } return 0; }
