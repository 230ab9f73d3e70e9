void f(int);
int main(void) { f("x"); int *p = 5; char *q = &p; return f(1); }
