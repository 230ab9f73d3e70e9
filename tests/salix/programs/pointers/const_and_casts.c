// returns 0: qualifiers are dropped by casts, and null is kept through them
int main(void)
{
    int x = 1;
    const int *c = &x;
    *(int *)c = 2;
    if (x != 2) return 1;
    const volatile void *v = c;
    if (*(const int *)v != 2) return 2;
    char *null = (char *)(void *)(int *)0;
    if (null != 0 || (long)null) return 3;
    return 0;
}
