// returns 0: a constant gets the first type that holds it
#define T(x) _Generic(x, int: 1, unsigned: 2, long: 3, unsigned long: 4, long long: 5, unsigned long long: 6)
int main(void)
{
    if (T(1) != 1 || T(2147483647) != 1 || T(2147483648) != 3) return 1;
    if (T(0x7fffffff) != 1 || T(0x80000000) != 2 || T(0xffffffff) != 2 || T(0x100000000) != 3) return 2;
    if (T(0xffffffffffffffff) != 4 || T(0x7fffffffffffffff) != 3) return 3;
    if (T(1u) != 2 || T(1U) != 2 || T(4294967296u) != 4) return 4;
    if (T(1l) != 3 || T(1ul) != 4 || T(1LU) != 4 || T(1ll) != 5 || T(1ull) != 6 || T(1LLu) != 6) return 5;
    if (T(037777777777) != 2) return 6;
    if (-2147483648 >= 0) return 7;
    if (0x80000000 < 0) return 8;
    return 0;
}
