// returns 0: attributes stand in front of and behind stars, in parentheses, in casts and in names of types
#define ATTR __attribute__((__noinline__))
int ATTR answer(void)
{
    return 42;
}

static int ATTR (ATTR add)(int a, int b)
{
    return a + b;
}

int main(void)
{
    int (ATTR *pointer)(void) = answer, (*ATTR other)(int, int) = add;
    void *plain = (void *)answer;
    if (((ATTR int (*)(void))plain)() != 42 || ((int (ATTR *)(void))plain)() != 42) return 1;
    if (((int (*ATTR)(int, int))add)(2, 3) != 5 || pointer() != 42 || other(1, 2) != 3) return 2;
    return sizeof(int (ATTR *)(void)) == 8 ? 0 : 3;
}
