// returns 33: each pointer to a nested function belongs to the activation that made it (Knuth's man or boy)
static int one(void) { return 1; }
static int minus_one(void) { return -1; }
static int zero(void) { return 0; }

static int a(int k, int (*x1)(void), int (*x2)(void), int (*x3)(void), int (*x4)(void), int (*x5)(void))
{
    int b(void)
    {
        k--;
        return a(k, b, x1, x2, x3, x4);
    }
    return k <= 0 ? x4() + x5() : b();
}

int main(void)
{
    static const signed char expected[] = {1, 0, -2, 0, 1, 0};
    int k;
    for (k = 0; k < 6; k++)
        if (a(k, one, minus_one, minus_one, one, zero) != expected[k]) return k;
    return 33;
}
