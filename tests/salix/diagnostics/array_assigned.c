int main(void) { int a[3]; a = 0; return &a == 3; }
