// returns 0: enumerators as array sizes, case labels, bit-field widths and initialisers
enum { SIZE = 4, WIDTH = 3, };
static int array[SIZE] = {[SIZE - 1] = SIZE};
struct fields { unsigned a : WIDTH, b : WIDTH + 1; };
static int name(int x)
{
    switch (x) {
    case SIZE: return 1;
    case WIDTH: return 2;
    }
    return 3;
}
int main(void)
{
    struct fields f = {7, 15};
    if (array[3] != 4 || f.a != 7 || f.b != 15) return 1;
    if (name(4) != 1 || name(3) != 2 || name(0) != 3) return 2;
    return 0;
}
