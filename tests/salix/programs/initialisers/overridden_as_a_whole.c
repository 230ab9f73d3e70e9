// returns 0: what is initialised again as a whole keeps nothing; of a union, the member that is given last counts
union number {
    unsigned whole;
    unsigned char bytes[4];
    struct {
        unsigned low : 5, high : 27;
    };
};
struct record {
    struct {
        int a, b;
    } inner;
    int cells[3];
    union {
        long wide;
        struct {
            int left, right;
        };
    };
    union number number;
};

static struct record fixed = {
    .inner.b = 5, .inner = {3}, .cells[1] = 6, .cells = {[0] = 1}, .wide = -1, .left = 7, .number.whole = 0xffff, .number.low = 9};
static int table[3][2] = {[1][0] = 5, [1] = {[1] = 2}, [2] = {8, 9}};
static char words[2][4] = {{'x', 'y', 'z'}, "ab", [0] = "q"};
static union number numbers[2] = {{0xff, .bytes[1] = 4}, {.bytes = {1, 2}, .high = 3, .low = 2}};

static struct {
    union number number;
    unsigned long beside : 8;
} narrow = {.number.whole = 1, 2, .number.low = 3};

static int check(int x)
{
    struct record made = {.cells[2] = x, .inner = {x, x}, .cells = {x}, .right = x, .wide = 1, .inner = {.b = 2}};
    union number number = {.whole = (unsigned)x << 8, .low = 3};
    struct record again = {.number = {.whole = 1}, .number.bytes[3] = 1, .number.whole = (unsigned)x};
    if (made.inner.a || made.inner.b != 2 || made.cells[0] != x || made.cells[2]) return 1;
    if (made.left != 1 || made.right || number.whole != 3 || again.number.whole != (unsigned)x) return 2;
    return 0;
}

int main(void)
{
    if (fixed.inner.a != 3 || fixed.inner.b || fixed.cells[0] != 1 || fixed.cells[1]) return 3;
    if (fixed.left != 7 || fixed.right || fixed.number.whole != 9) return 4;
    if (table[1][0] || table[1][1] != 2 || table[2][0] != 8) return 5;
    if (words[0][1] || words[0][0] != 'q' || words[1][1] != 'b') return 6;
    if (numbers[0].whole != 0x400 || numbers[1].whole != (3 << 5 | 2)) return 7;
    if (narrow.beside != 2 || narrow.number.whole != 3) return 8;
    return check(77);
}
