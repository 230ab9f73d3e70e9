// warns: `f` takes 2 arguments, here it gets 1
int f(a, b) int a, b; { return a; }
int main(void) { return f(3); }
