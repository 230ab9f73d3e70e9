// returns 56: structs that are returned take turns in the frame, and locals leave it when it is full
struct wide { long values[30]; };
static struct wide made(int n) { return (struct wide){{n, n + 1}}; }
static long first(struct wide it) { return it.values[0] + (it.values[1] - it.values[0] - 1) + it.values[29]; }

int main(void)
{
    struct wide a = made(1), b = made(2), c = made(3), d = made(4), e = made(5), f = made(6), g = made(7), h = made(8);
    struct wide i = made(9), j = made(10), k, l, m, n;
    long sum = 0;
    int round;
    for (round = 0; first(made(round)) < 2; round++) {
        sum += first(made(round)) + first(made(round + 1));
        k = l = made(round);
        sum += made(round).values[0] + (round ? made(1) : made(2)).values[1];
    }
    m = n = made(0);
    sum += first(a) + first(b) + first(c) + first(d) + first(e) + first(f) + first(g) + first(h) + first(i) + first(j);
    return (int)(sum + first(k) + first(l) + first(m) + first(n)) - 12 + (round == 2 ? 1 : 100);
}
