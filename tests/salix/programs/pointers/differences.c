// returns 0: differences of pointers are signed and in elements
int main(void)
{
    struct odd { char bytes[7]; } a[10];
    int m[5][6];
    if (&a[9] - &a[2] != 7 || &a[2] - &a[9] != -7) return 1;
    if (&m[4] - &m[1] != 3 || &m[4][5] - &m[0][0] != 29) return 2;
    if (sizeof(&a[1] - &a[0]) != 8) return 3;
    if ((&a[3] - a) / 2 != 1 || -(&a[3] - a) != -3) return 4;
    long d = a - &a[4];
    return d == -4 ? 0 : 5;
}
