// returns 0: statements in macros, with do and without
#define SWAP(type, a, b) do { type _t = a; a = b; b = _t; } while (0)
#define EACH(i, n) for (int i = 0; i < (n); i++)
#define CHECK(e) if (!(e)) return __LINE__
int main(void)
{
    int a = 1, b = 2, s = 0;
    if (a < b) SWAP(int, a, b); else return 1;
    EACH(i, 3) EACH(j, 4) s += i * j;
    CHECK(s == 18);
    CHECK(a == 2 && b == 1);
    return 0;
}
