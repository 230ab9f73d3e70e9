// returns 0: what a macro leaves is scanned again, with what follows it
#define CALL(f, args) f args
#define ADD(a, b) (a + b)
#define NAME ADD
#define OPEN (
#define ID(x) x
#define DEFER ADD OPEN 1, 2)
#define EXPAND(x) x
int main(void)
{
    if (CALL(ADD, (1, 2)) != 3) return 1;
    if (NAME(3, 4) != 7) return 2;
    if (EXPAND(DEFER) != 3) return 3;
    if (ID(ADD)(5, 6) != 11) return 4;
    if (ID(ID(ID(3))) != 3) return 5;
    return 0;
}
