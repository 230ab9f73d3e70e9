// returns 0: counting arguments, and choosing a macro by their number
#define PICK(a, b, c, d, n, ...) n
#define COUNT(...) PICK(__VA_ARGS__, 4, 3, 2, 1, 0)
#define JOIN(a, b) JOIN_(a, b)
#define JOIN_(a, b) a##b
#define SUM1(a) (a)
#define SUM2(a, b) (a + b)
#define SUM3(a, b, c) (a + b + c)
#define SUM(...) JOIN(SUM, COUNT(__VA_ARGS__))(__VA_ARGS__)
int main(void)
{
    if (COUNT(x) != 1 || COUNT(x, y, z) != 3 || COUNT((a, b), c) != 2) return 1;
    return SUM(1) + SUM(1, 2) + SUM(1, 2, 3) - 10;
}
