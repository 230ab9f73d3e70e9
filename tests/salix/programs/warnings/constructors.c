// warns: the attribute `constructor` does nothing here: call the function yourself
static int x;
__attribute__((constructor)) static void start(void) { x = 1; }
int main(void) { start(); return x - 1; }
