// returns 52: the functions that GNU compilers have for vectors
typedef int i4 __attribute__((vector_size(16)));
typedef unsigned u4 __attribute__((vector_size(16)));
typedef signed char c4 __attribute__((vector_size(4)));
typedef int i2 __attribute__((vector_size(8)));

static int digits(i4 v) { return v[0] * 1000 + v[1] * 100 + v[2] * 10 + v[3]; }

int main(void)
{
    i4 a = {1, 2, 3, 4}, b = {5, 6, 7, 8}, order = {3, 2, 9, -4};
    u4 both = {0, 7, 2, 13};
    c4 small;
    i2 pair;
    if (digits(__builtin_shuffle(a, order)) != 4321) return 1;
    if (digits(__builtin_shuffle(a, b, both)) != 1836) return 2;
    a = __builtin_shuffle(a, a, order + 1);
    if (digits(a) != 1432) return 3;
    if (digits(__builtin_shufflevector(a, b, 7, 0, 1, 4)) != 8145) return 4;
    pair = __builtin_shufflevector(a, a, 2, -1);
    if (pair[0] != 3) return 5;
    small = __builtin_convertvector(a + 255, c4);
    if (small[0] != 0 || small[1] != 3) return 6;
    a = __builtin_convertvector(small - 5, i4);
    return a[0] == -5 && a[1] == -2 ? 52 : 7;
}
