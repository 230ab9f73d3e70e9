#if FOO(
#endif
int main(void) { return 0 }
