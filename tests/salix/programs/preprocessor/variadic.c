// returns 0: variable arguments, named, none, and with the comma taken away
#define LIST(...) {__VA_ARGS__}
#define COUNT(...) (sizeof((int[]){__VA_ARGS__}) / sizeof(int))
#define CALL(f, ...) f(__VA_ARGS__)
#define GNU(f, ...) f(1, ##__VA_ARGS__)
#define NAMED(args...) (0, args)
#define SECOND(a, b, ...) b
#define REST(a, ...) #__VA_ARGS__
static int none(void) { return 5; }
static int add(int a, int b) { return a + b; }
static int one(int a) { return a; }
int main(void)
{
    int a[] = LIST(1, 2, 3);
    if (sizeof a != 12 || COUNT(1, (2, 3), 4) != 3) return 1;
    if (CALL(none) != 5 || CALL(none,) != 5 || CALL(add, 3, 4) != 7) return 2;
    if (GNU(one) != 1 || GNU(add, 9) != 10 || NAMED(1, 2) != 2 || SECOND(1, 2, 3, 4) != 2) return 3;
    if (sizeof REST(a) != 1 || sizeof REST(a, b, c) != 5 || REST(a, b ,  c)[2] != ',') return 4;
    return 0;
}
