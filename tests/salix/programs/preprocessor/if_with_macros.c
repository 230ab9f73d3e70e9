// returns 0: macros in conditions
#define VERSION(a, b) ((a) * 100 + (b))
#define CURRENT VERSION(3, 7)
#define ZERO
#define CHECK defined(CURRENT)
#define INT int
#if CURRENT >= VERSION(3, 6) && CURRENT < VERSION(4, 0)
static int a = 1;
#endif
#if ZERO + 0
static int a = 2;
#endif
#if VERSION (1, 2) == 102
static int b = 3;
#endif
#if (INT)
#error a keyword is a name here
#endif
#if defined VERSION && !defined VERSIO
static int c = 4;
#endif
int main(void) { return a + b + c - 8; }
