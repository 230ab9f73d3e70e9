// warns: return
static int f(int x) { if (x) return 1; }
int main(void) { return f(1); }
