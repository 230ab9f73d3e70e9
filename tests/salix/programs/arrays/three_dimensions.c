// returns 0: three and four dimensions with every index a variable
static int cube[2][3][4];
static short four[2][2][2][2];
int main(void)
{
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 4; k++)
                cube[i][j][k] = i * 100 + j * 10 + k;
    int sum = 0;
    for (int *p = **cube; p < **cube + 24; p++) sum += *p;
    if (sum != 1476) return 1;
    if (cube[1][2][3] != 123 || *cube[1][1] != 110 || **cube[1] != 100) return 2;
    if (sizeof cube[0] != 48 || sizeof cube[0][0] != 16) return 3;
    int a = 1, b = 0, c = 1, d = 1;
    four[a][b][c][d] = -7;
    if ((&four[0][0][0][0])[11] != -7) return 4;
    return 0;
}
