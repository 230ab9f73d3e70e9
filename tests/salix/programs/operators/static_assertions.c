// returns 0: _Static_assert outside, inside, and in structs
_Static_assert(sizeof(int) == 4, "int has four bytes");
_Static_assert(-1 < 0 && 1 + 1 == 2 || 0, "arithmetic");
struct checked {
    int a;
    _Static_assert(1, "in a struct");
    long b;
};
enum { LIMIT = 10 };
int main(void)
{
    _Static_assert(LIMIT * 2 == 20, "with enumerators");
    _Static_assert(sizeof(struct checked) == 16, "takes no room");
    for (int i = 0; i < 1; i++) {
        _Static_assert((LIMIT > 5 ? 1 : 0), "in a block");
    }
    return 0;
}
