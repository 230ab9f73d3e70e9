// refused: return
static int *f(void) { struct s { int x; } s = {1}; return s; }
int main(void) { return *f(); }
