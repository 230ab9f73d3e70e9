// returns 0: functions of the library that call back or keep something, declared by nobody, or by GNU's names
static int calls;

static int backwards(const void *a, const void *b)
{
    calls++;
    return *(const int *)b - *(const int *)a;
}

void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *));
extern void *malloc(unsigned long);

int main(void)
{
    int values[5] = {3, 1, 5, 2, 4}, i;
    char *text = __builtin_calloc(4, 1), *other = malloc(3);
    qsort(values, 5, sizeof values[0], backwards);
    for (i = 0; i < 5; i++)
        if (values[i] != 5 - i) return 1;
    if (!calls || !text || text[3] || !other || other == text) return 2;
    __builtin_free(text);
    return 0;
}
