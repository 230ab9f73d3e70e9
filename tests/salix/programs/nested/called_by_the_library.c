// returns 14: qsort and bsearch call nested functions, which see what is around them, and may leave by a goto
#include <stdlib.h>

static int sorted(int direction)
{
    __label__ enough;
    int values[] = {5, 2, 9, 1, 7}, compared = 0, wanted = 7, limit = 1000;
    int order(const void *a, const void *b)
    {
        if (++compared > limit) goto enough;
        return direction * (*(const int *)a - *(const int *)b);
    }
    int *found;
    qsort(values, 5, sizeof values[0], order);
    found = bsearch(&wanted, values, 5, sizeof values[0], order);
    if (!found || *found != 7 || compared < 6) return -1000;
    limit = compared + 1;
    qsort(values, 5, sizeof values[0], order);
    return -1000;
enough:
    return compared == limit + 1 ? values[0] + values[4] * (direction > 0) : -1000;
}

int main(void) { return sorted(1) - sorted(-1) + 13; }
