// returns 0: types without names, in casts and sizeof
static int twice(int x) { return x * 2; }
int main(void)
{
    int a[2][3] = {{1, 2, 3}, {4, 5, 6}};
    void *v = a;
    if ((*((int (*)[3])v + 1))[1] != 5) return 1;
    if (((int (*)[2][3])v)[0][1][2] != 6) return 2;
    void *f = (void *)twice;
    if (f == 0) return 3;
    if (sizeof(int (*)(int, int)) != 8 || sizeof(int *(*[3])(void)) != 24) return 4;
    if (sizeof(char (*)[10]) != 8 || sizeof(char *[10]) != 80 || sizeof(char[2][5]) != 10) return 5;
    int *q = &a[0][2];
    if (**(int *const *)&q != 3) return 6;
    return 0;
}
