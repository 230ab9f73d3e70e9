// returns 0: any object pointer goes through void * unchanged
static void swap(void *a, void *b, unsigned long size)
{
    unsigned char *p = a, *q = b;
    while (size--) {
        unsigned char kept = *p;
        *p++ = *q;
        *q++ = kept;
    }
}
int main(void)
{
    long a = 1, b = -2;
    struct { int x, y; } s = {1, 2}, t = {3, 4};
    swap(&a, &b, sizeof a);
    swap(&s, &t, sizeof s);
    if (a != -2 || b != 1) return 1;
    if (s.x != 3 || t.y != 2) return 2;
    void *v = &a;
    long *back = v;
    if (*back != -2) return 3;
    return 0;
}
