// returns 52: pointers to nested functions and to others are called at the same place, in tables and through casts
typedef int (*Visitor)(int);

static int each(const int *values, int count, Visitor visit)
{
    int i, sum = 0;
    for (i = 0; i < count; i++) sum += visit(values[i]);
    return sum;
}

static int twice(int x) { return 2 * x; }

static int visit_all(int factor)
{
    int values[] = {1, 2, 3}, seen = 0;
    int scaled(int x) { seen++; return factor * x; }
    int plain(int x) { return x; } /* it uses nothing of what is around it */
    Visitor table[] = {scaled, twice, plain, &scaled};
    void *untyped = scaled;
    int sum = 0, i;
    if (table[0] != table[3] || table[0] == table[2] || table[1] != twice || !table[2]) return -1000;
    for (i = 0; i < 4; i++) sum += each(values, 3, table[i]);
    sum += ((Visitor)untyped)(1) + (*table[2])(1) + (**scaled)(0);
    return seen == 8 ? sum : -seen;
}

int main(void) { return visit_all(3) - visit_all(-3) + visit_all(0) - 19 - 26; }
