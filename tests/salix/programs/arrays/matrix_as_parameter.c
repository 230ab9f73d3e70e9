// returns 0: arrays of arrays as parameters, in all their spellings
static int a(int m[2][3]) { return m[1][2]; }
static int b(int m[][3]) { return (*(m + 1))[1]; }
static int c(int (*m)[3]) { return *m[1]; }
static int d(int (*m)[2][3]) { return (*m)[0][2]; }
static int e(int *m, int columns, int i, int j) { return m[i * columns + j]; }
static void f(int m[2][3]) { for (int i = 0; i < 6; i++) m[0 + i / 3][i % 3] *= 2; }
int main(void)
{
    int m[2][3] = {{1, 2, 3}, {4, 5, 6}};
    if (a(m) != 6 || b(m) != 5 || c(m) != 4 || d(&m) != 3 || e(*m, 3, 1, 0) != 4) return 1;
    f(m);
    return m[0][0] == 2 && m[1][2] == 12 ? 0 : 2;
}
