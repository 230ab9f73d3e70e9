// warns: shift
int main(void) { volatile int x = 1; return x << 40; }
