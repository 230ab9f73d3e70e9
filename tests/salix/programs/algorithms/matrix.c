// returns 0: products of matrices, as structs
enum { N = 3 };
struct matrix { long m[N][N]; };
static struct matrix multiply(struct matrix a, struct matrix b)
{
    struct matrix c = {{{0}}};
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                c.m[i][j] += a.m[i][k] * b.m[k][j];
    return c;
}
int main(void)
{
    struct matrix a = {{{1, 1, 0}, {1, 0, 0}, {0, 0, 1}}}, r = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (int n = 50; n; n >>= 1) {
        if (n & 1) r = multiply(r, a);
        a = multiply(a, a);
    }
    return r.m[0][1] == 12586269025 && r.m[2][2] == 1 ? 0 : 1;
}
