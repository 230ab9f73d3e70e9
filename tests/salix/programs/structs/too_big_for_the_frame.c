// returns 0: structs of more than a frame, passed by value before and between other parameters
struct big { long v[4096]; };
static long one(int x, struct big b, int y) { return x + b.v[9] * 10 + y * 100; }
static long two(struct big a, int x, struct big b, int y) { a.v[0]++; return a.v[0] + x * 10 + b.v[9] * 100 + y * 1000; }
int main(void)
{
    static struct big b;
    for (int i = 0; i < 4096; i++) b.v[i] = i;
    if (one(1, b, 2) != 291) return 1;
    return two(b, 2, b, 4) == 4921 && b.v[0] == 0 ? 0 : 2;
}
