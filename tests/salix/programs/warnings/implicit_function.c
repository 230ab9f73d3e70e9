// warns: is not declared
int main(void) { return later(); }
int later() { return 0; }
