// returns 0: fields of one bit, signed, unsigned and _Bool
struct f { int s : 1; unsigned u : 1; _Bool b : 1; unsigned rest : 5; };
int main(void)
{
    struct f x = {0, 0, 0, 0};
    x.s = 1;
    if (x.s != -1) return 1;
    x.u = 3;
    if (x.u != 1) return 2;
    x.b = 4;
    if (x.b != 1 || x.rest != 0) return 3;
    x.u = !x.u;
    if (x.u || !x.b || x.s != -1) return 4;
    if (x.s == 1) return 5;
    return 0;
}
