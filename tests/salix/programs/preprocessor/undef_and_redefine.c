// returns 0: macros that come and go, pushed by hand
#define A 1
enum { FIRST = A };
#undef A
enum { A = 5 };
#define A 7
enum { SECOND = A };
#undef A
#define f(x) x + 1
static int a = f(1);
#undef f
#define f x
static int x = 9, *b = &f;
int main(void) { return FIRST == 1 && SECOND == 7 && A == 5 && a == 2 && *b == 9 ? 0 : 1; }
