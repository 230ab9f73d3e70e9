// returns 0: macros with arguments, which are expanded before they are put in
#define SQUARE(x) ((x) * (x))
#define ADD(a, b) ((a) + (b))
#define NOTHING() 7
#define FIRST(a, b) a
#define APPLY(f, x) f(x)
#define BODY(x) { x; }
int main(void)
{
    int n = 2;
    if (SQUARE(n + 1) != 9 || ADD(SQUARE(2), ADD(1, 2)) != 7 || NOTHING() != 7) return 1;
    if (FIRST((1, 5), 2) != 5 || APPLY(SQUARE, 4) != 16 || SQUARE(SQUARE(2)) != 16) return 2;
    BODY(n = 3; n++)
    if (n != 4) return 3;
    if (ADD(
            1, // in several lines
            2) != 3) return 4;
    if (FIRST(,) 5 != 5) return 5;
    return 0;
}
