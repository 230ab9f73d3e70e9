// returns 0: a glider is back in its shape after four generations
enum { N = 12 };
static unsigned char board[2][N][N];
int main(void)
{
    board[0][1][2] = board[0][2][3] = board[0][3][1] = board[0][3][2] = board[0][3][3] = 1;
    for (int g = 0; g < 4; g++) {
        unsigned char (*now)[N] = board[g & 1], (*next)[N] = board[~g & 1];
        for (int y = 0; y < N; y++)
            for (int x = 0; x < N; x++) {
                int n = -now[y][x];
                for (int j = -1; j <= 1; j++)
                    for (int i = -1; i <= 1; i++) n += now[(y + j + N) % N][(x + i + N) % N];
                next[y][x] = n == 3 || (n == 2 && now[y][x]);
            }
    }
    int alive = 0;
    const unsigned char *cells = &board[0][0][0];
    for (int i = 0; i < N * N; i++) alive += cells[i];
    return alive == 5 && board[0][2][3] && board[0][3][4] && board[0][4][2] && board[0][4][4] ? 0 : 1;
}
