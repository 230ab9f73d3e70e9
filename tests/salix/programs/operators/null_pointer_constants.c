// returns 0: zero in all its forms is a null pointer
#define NULL ((void *)0)
int main(void)
{
    int *a = 0, *b = (void *)0, *c = NULL, *d = 0l, *e = (int *)0, *f = '\0';
    if (a || b || c || d || e || f) return 1;
    if (a != NULL || NULL != b || c != 0) return 2;
    int x, *p = &x;
    if (p == NULL || !p) return 3;
    int (*function)(void) = NULL;
    if (function) return 4;
    function = main;
    if (!function) return 5;
    return 0;
}
