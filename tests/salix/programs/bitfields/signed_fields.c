// returns 0: signed fields extend their top bit
struct f { signed a : 3; int b : 5; signed char c : 4; long d : 40; };
int main(void)
{
    struct f x = {-4, 15, -1, -5};
    if (x.a != -4 || x.b != 15 || x.c != -1 || x.d != -5) return 1;
    x.a = 3;
    x.b = -16;
    if (x.a != 3 || x.b != -16) return 2;
    x.d = 1ll << 38;
    if (x.d != 1ll << 38 || x.c != -1) return 3;
    x.a = -1;
    if (x.a >= 0 || x.a + 1 != 0 || x.a >> 1 != -1) return 4;
    return 0;
}
