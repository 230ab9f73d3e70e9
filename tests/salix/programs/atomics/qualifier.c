// returns 0: _Atomic as a word and as a type, of scalars, pointers, members and parameters
#include <stddef.h>

_Atomic int counter = 5;
_Atomic(unsigned char) narrow;
int cells[4] = {10, 20, 30, 40};
int *_Atomic cursor = cells;
struct gauge {
    char name[3];
    _Atomic long level;
    _Atomic(short) steps[2];
};

static int twice(_Atomic int value) { return value * 2; }
static int first(int values[const _Atomic]) { return values[0]; }

int main(void)
{
    struct gauge gauge = {"ab", 7, {1, 2}};
    _Atomic int *pointer = &counter;
    typedef _Atomic(int) whole;
    whole local = 3;
    *pointer += 4;
    counter++;
    --counter;
    if (counter != 9 || twice(local) != 6) return 1;
    narrow = 250;
    narrow += 10;
    if (narrow != 4) return 2;
    cursor++;
    *cursor |= 1;
    if (cells[1] != 21 || first(cells) != 10) return 3;
    gauge.level <<= 33;
    gauge.steps[1]--;
    if (gauge.level >> 33 != 7 || gauge.steps[1] != 1) return 4;
    if (offsetof(struct gauge, level) != 8 || sizeof(whole) != 4) return 5;
    return _Generic(local, int: 0, default: 6);
}
