// returns 0: where a type is missing at file level, it is int
count;
cells[3] = {1, 2, 3};
first = 4, *where = &first;
static own = 5;
const fixed = 6;
extern outer, *where;
twice(x) { return 2 * x; }

main()
{
    auto local = 8;
    register fast = 9;
    volatile seen = 10;
    if (count || cells[2] != 3 || *where != 4 || own != 5) return 1;
    if (sizeof fixed != 4 || twice(4) != 8) return 2;
    return local + fast + seen - 27;
}
