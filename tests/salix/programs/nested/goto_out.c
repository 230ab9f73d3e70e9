// returns 30: a nested function goes to a label of the one around it, through whatever was called in between
static int walk(int n, int (*visit)(int))
{
    int mine = n * 7, result = n == 0 ? visit(0) : walk(n - 1, visit) + 1;
    return mine == n * 7 ? result : -1000;
}

static int find(const int *values, int count, int what)
{
    __label__ found, none;
    int at = -1, kept = count * 3;
    int look(int i)
    {
        if (values[i] == what) {
            at = i;
            goto found;
        }
        if (i == count - 1) goto none;
        return look(i + 1);
    }
    int farther(int i) { return walk(3, look) + 1000 * i; }
    farther(1);
    return 99;
none:
    return kept == count * 3 ? 50 : 98;
found:
    return kept == count * 3 ? at : 97;
}

int main(void)
{
    static const int values[] = {7, 8, 9, 10};
    return find(values, 4, 9) * 10 + (find(values, 4, 7) == 0) * 5 + find(values, 4, 11) / 10;
}
