// returns 0: unions go by value like structs
union u { struct { int a, b; } pair; long whole; char bytes[12]; };
static union u swap(union u x) { union u y; y.pair.a = x.pair.b; y.pair.b = x.pair.a; return y; }
int main(void)
{
    union u x = {{1, 2}};
    union u y = swap(swap(swap(x)));
    if (y.pair.a != 2 || y.pair.b != 1 || x.pair.a != 1 || sizeof x != 16) return 1;
    return swap((union u){.whole = 5l << 32 | 6}).whole == (6l << 32 | 5) ? 0 : 2;
}
