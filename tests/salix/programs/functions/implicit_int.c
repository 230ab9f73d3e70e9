// returns 0: the old rules: a missing type is int, an undeclared function returns int
static counter = 3;
const limit = 4;
twice(x) { return x * 2; }
main()
{
    auto a = 1;
    register b = 2;
    return later(a, b) + twice(3) + counter + limit - 16;
}
later(x, y) { return x + y; }
