typedef struct { int a } T;
int main(void) { T t; t.b = 1; return 0; }
