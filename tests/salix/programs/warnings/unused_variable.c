// warns: is never used
int main(void) { int unused; return 0; }
