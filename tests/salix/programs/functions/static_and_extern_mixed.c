// returns 0: a function declared static first stays static, external ones may be called before they are defined
static int a(void);
int b(void);
extern int c(void);
int main(void) { return a() + b() + c() - 6; }
int a(void) { return 1; }
int b(void) { return 2; }
int c(void) { return 3; }
