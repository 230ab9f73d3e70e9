// returns 0: a variable that becomes the truth of a comparison of itself
static int flip(int x)
{
    x = !x;
    return x;
}

static _Bool toggle(int keep, _Bool on)
{
    if (!keep) on = !on;
    return on;
}

static int three(int x, int limit)
{
    x = x > limit;
    return x;
}

static int other(int x, int limit)
{
    limit = x > limit;
    return limit * 2 + (x == 5);
}

int main(void)
{
    volatile int zero = 0, five = 5;
    long wide = five, i;
    if (flip(zero) != 1 || flip(five) != 0) return 1;
    if (toggle(zero, 0) != 1 || toggle(zero, 1) != 0 || toggle(five, 1) != 1) return 2;
    if (three(five, 4) != 1 || three(five, 5) != 0) return 3;
    if (other(five, 4) != 3 || other(five, 9) != 1) return 4;
    for (i = 0; i < 3; i++) wide = wide == 5;
    if (wide != 0) return 5;
    wide = !wide;
    return wide == 1 ? 0 : 6;
}
