// returns 0: variable arguments with parentheses, strings, empty, nested, and pasted
#define CALL(f, ...) f(__VA_ARGS__)
#define LAST(a, ...) (0, ##__VA_ARGS__)
#define FORWARD(...) CALL(__VA_ARGS__)
#define STR(...) #__VA_ARGS__
#define XSTR(...) STR(__VA_ARGS__)
#define GLUE(a, ...) a ## __VA_ARGS__
#define COMMA ,
static int add(int a, int b) { return a + b; }
static int zero(void) { return 0; }
int main(void)
{
    int xy = 9;
    if (CALL(add, (1, 2), 3) != 5 || FORWARD(add, 4, 5) != 9 || CALL(zero) != 0 || FORWARD(zero) != 0) return 1;
    if (LAST(1) != 0 || LAST(1, 2, 3) != 3) return 2;
    if (sizeof(STR(a, b)) != 5 || sizeof(XSTR(1 COMMA 2)) != 6 || GLUE(x, y) != 9) return 3;
    return CALL(add, CALL(add, 1, 2), CALL(add, -1, -2));
}
