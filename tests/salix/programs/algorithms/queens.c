// returns 0: the eight queens have 92 solutions
int main(void)
{
    int column[8], row = 0, solutions = 0;
    column[0] = -1;
    while (row >= 0) {
        int c, ok = 0;
        for (c = column[row] + 1; c < 8 && !ok; c++) {
            ok = 1;
            for (int r = 0; r < row && ok; r++) {
                int d = column[r] - c;
                if (d == 0 || d == row - r || d == r - row) ok = 0;
            }
            if (ok) break;
        }
        if (!ok) { row--; continue; }
        column[row] = c;
        if (row == 7) solutions++;
        else column[++row] = -1;
    }
    return solutions == 92 ? 0 : 1;
}
