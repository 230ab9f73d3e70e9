// returns 0: the towers of Hanoi, moves checked
static int pegs[3][8], height[3], moves;
static int move(int from, int to)
{
    int disk = pegs[from][--height[from]];
    if (height[to] && pegs[to][height[to] - 1] < disk) return 1;
    pegs[to][height[to]++] = disk;
    moves++;
    return 0;
}
static int hanoi(int n, int from, int to, int via)
{
    return n == 0 ? 0 : hanoi(n - 1, from, via, to) + move(from, to) + hanoi(n - 1, via, to, from);
}
int main(void)
{
    for (int i = 6; i > 0; i--) pegs[0][height[0]++] = i;
    if (hanoi(6, 0, 2, 1)) return 1;
    return moves == 63 && height[2] == 6 && pegs[2][5] == 1 ? 0 : 2;
}
