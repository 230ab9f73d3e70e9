// refused: alloca
int main(void) { volatile int n = 8; char *p = __builtin_alloca(n); p[0] = 0; return p[0]; }
