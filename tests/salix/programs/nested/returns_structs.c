// returns 45: structs and many arguments go in and out of nested functions
struct six { int a, b, c, d, e, f; };

int main(void)
{
    int base = 1;
    struct six make(int a, int b, int c, int d, int e, int f)
    {
        struct six result = {a + base, b + base, c + base, d + base, e + base, f + base};
        base++;
        return result;
    }
    int sum(struct six it, int more, struct six other) { return it.a + it.b + it.c + it.d + it.e + it.f + more - other.f - base; }
    struct six (*maker)(int, int, int, int, int, int) = make;
    struct six made = make(1, 2, 3, 4, 5, 6);
    return sum(made, 20, maker(0, 0, 0, 0, 0, 0)) + base;
}
