// returns 0: several levels, changed through each
static void reset(int **p, int *to) { *p = to; }
static int **pick(int ***ppp, int i) { return ppp[i]; }
int main(void)
{
    int a = 1, b = 2, *p = &a, *q = &b, **table[2] = {&p, &q};
    reset(&p, &b);
    if (*p != 2 || **table[0] != 2) return 1;
    *pick(table, 1) = &a;
    if (*q != 1) return 2;
    **pick(table, 1) = 40;
    if (a != 40) return 3;
    return 0;
}
