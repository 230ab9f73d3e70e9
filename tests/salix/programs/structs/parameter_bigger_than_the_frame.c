// returns 0: what stands behind a struct parameter that does not fit the frame is still there
struct big { long v[4096]; };
static struct big big;
static long f(int x, struct big b, int y) { return x + b.v[9] + y; }
int main(void)
{
    big.v[9] = 9;
    return f(1, big, 2) != 12;
}
