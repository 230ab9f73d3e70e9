// returns 0: every activation has its own arrays
static int walk(int depth, int *outer)
{
    int mine[4];
    for (int i = 0; i < 4; i++) mine[i] = depth * 10 + i;
    if (outer) outer[depth % 4] += 1000;
    int below = depth < 5 ? walk(depth + 1, mine) : 0;
    int sum = below;
    for (int i = 0; i < 4; i++) sum += mine[i];
    return sum;
}
int main(void)
{
    int expected = 0;
    for (int d = 0; d <= 5; d++) expected += d * 40 + 6 + (d < 5 ? 1000 : 0);
    return walk(0, 0) == expected ? 0 : 1;
}
