// returns 0: const before a typedef of a pointer makes the pointer constant
typedef int *pointer;
typedef const int *to_const;
typedef int row[3];
typedef int (*operation)(int);
static int twice(int x) { return 2 * x; }
int main(void)
{
    int x = 1, y = 2;
    const pointer p = &x;
    to_const q = &x;
    *p = 5;
    q = &y;
    const row r = {1, 2, 3};
    row m[2] = {{1}, {4, 5, 6}}, *w = &m[1];
    const operation f = twice;
    return x == 5 && *q == 2 && r[2] == 3 && (*w)[2] == 6 && f(4) == 8 && sizeof(row[4]) == 48 ? 0 : 1;
}
