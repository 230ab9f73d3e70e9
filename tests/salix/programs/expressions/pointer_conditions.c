// returns 0: pointers in every kind of condition
int main(void)
{
    int x = 3, *p = &x, *none = 0, n = 0;
    if (p) n++;
    if (!none) n++;
    while (none) n += 100;
    for (int *q = p; q; q = none) n++;
    n += p ? 1 : 100;
    n += none ? 100 : 1;
    n += p && !none;
    n += (none || p);
    n += !p;
    do n++; while (none);
    return n - 8;
}
