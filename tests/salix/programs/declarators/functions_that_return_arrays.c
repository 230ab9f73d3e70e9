// returns 0: a function that returns a pointer to an array
static int rows[2][3] = {{1, 2, 3}, {4, 5, 6}};
static int (*row(int i))[3] { return &rows[i]; }
int main(void)
{
    if ((*row(1))[2] != 6 || row(0)[1][0] != 4) return 1;
    if (sizeof *row(0) != 12) return 2;
    return 0;
}
