#define M(a,b) a+b
int main(void) { return M(1); }
