// returns 0: values go on behind a member that was designated inside an anonymous one; ranges may be nested
struct record {
    struct {
        int a, b;
    };
    union {
        int c;
        struct {
            short d, e;
        };
    };
    int f;
};
static struct record from_struct = {.a = 1, 2, 3, 4};
static struct record from_union = {.d = 5, 6, 7};
static struct record nested[2] = {[0].a = 8, [1].b = 9, 10, 11, [0].e = 12, 13};
static struct {
    int cells[4], behind;
} ranges = {.cells[0 ... 2] = 5, 6, 7};
static int rows[3][3] = {[0 ... 1][1 ... 2] = 5, 8};

static int check(int x)
{
    struct {
        struct {
            struct record inner;
            int last;
        };
        int behind;
    } local = {.inner.d = (short)x, 2, 3, 4, 5};
    if (local.inner.d != x || local.inner.e != 2 || local.inner.f != 3) return 1;
    return local.last == 4 && local.behind == 5 ? 0 : 2;
}

int main(void)
{
    if (from_struct.b != 2 || from_struct.c != 3 || from_struct.f != 4) return 3;
    if (from_union.a || from_union.d != 5 || from_union.e != 6 || from_union.f != 7) return 4;
    if (nested[0].a != 8 || nested[0].e != 12 || nested[0].f != 13 || nested[0].d) return 5;
    if (nested[1].b != 9 || nested[1].c != 10 || nested[1].f != 11) return 6;
    if (ranges.cells[2] != 5 || ranges.cells[3] != 6 || ranges.behind != 7) return 7;
    if (rows[0][0] || rows[0][2] != 5 || rows[1][1] != 5 || rows[2][0] != 8) return 8;
    return check(77);
}
