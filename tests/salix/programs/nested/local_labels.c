// returns 12: labels that __label__ declares belong to their block, so that a macro may have one
#define INDEX_OF(v, n, x) ({ \
    __label__ out; \
    int i_, at_ = -1; \
    for (i_ = 0; i_ < n; i_++) \
        if (v[i_] == x) { at_ = i_; goto out; } \
    out: at_; })

int main(void)
{
    int values[] = {4, 5, 6}, a = INDEX_OF(values, 3, 5), b = INDEX_OF(values, 3, 6);
    goto again;
again:
    {
        __label__ again, other;
        void *where = &&again;
        if (a > 1) goto other;
        a += 4;
        goto *where;
    again:
        b += 5;
    other:;
    }
    return a + b;
}
