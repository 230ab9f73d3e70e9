// returns 0: rows, columns, and addresses of both
int main(void)
{
    int m[3][4], n = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            m[i][j] = n++;
    if (m[2][3] != 11 || m[1][0] != 4) return 1;
    if (*(*(m + 2) + 1) != 9 || (*(m + 1))[2] != 6) return 2;
    if (&m[1][0] - &m[0][0] != 4 || (char *)&m[1] - (char *)&m[0] != 16) return 3;
    int (*row)[4] = m;
    row++;
    if ((*row)[3] != 7 || row[1][1] != 9) return 4;
    int *flat = &m[0][0];
    if (flat[7] != 7) return 5;
    return 0;
}
