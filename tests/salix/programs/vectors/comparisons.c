// returns 15: a comparison gives -1 and 0, signed and as wide as the elements; masks choose
typedef unsigned char b8 __attribute__((vector_size(8)));
typedef signed char s8 __attribute__((vector_size(8)));
typedef int i4 __attribute__((vector_size(16)));
typedef unsigned long l2 __attribute__((vector_size(16)));

static i4 greater(i4 a, i4 b)
{
    i4 mask = a > b;
    return (mask & a) | (~mask & b);
}

int main(void)
{
    b8 a = {1, 200, 3, 4, 5, 6, 7, 8}, b = {8, 7, 6, 5, 5, 4, 3, 250};
    s8 less = a < b, equal = a == b;
    i4 most = greater((i4){1, -5, 7, 0}, (i4){0, 5, -7, 0});
    l2 big = {1ul << 63, 1}, small = {1, 1ul << 63};
    __auto_type which = big > small;
    int sum = 0, i;
    _Static_assert(sizeof which == 16 && sizeof which[0] == 8, "as wide as what is compared");
    for (i = 0; i < 8; i++) sum += less[i] * (1 << i) + equal[i] * 1000;
    if (sum != -(1 + 4 + 8 + 128) - 1000) return 1;
    if (most[0] != 1 || most[1] != 5 || most[2] != 7 || most[3] != 0) return 2;
    if (which[0] != -1 || which[1] != 0) return 3;
    which = (big >= small) + (big != small) + (big <= small);
    return which[0] == -2 && which[1] == -2 ? 15 : 4;
}
