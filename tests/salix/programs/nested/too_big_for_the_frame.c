// returns 10: a local that does not fit the frame is seen by nested functions too
int main(void)
{
    int big[2000], i;
    void fill(void)
    {
        for (i = 0; i < 2000; i++) big[i] = i % 5;
    }
    int sum(int from, int to) { return from == to ? 0 : big[from] + sum(from + 1, to); }
    fill();
    return sum(1995, 2000);
}
