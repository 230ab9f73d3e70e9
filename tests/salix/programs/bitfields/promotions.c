// returns 0: a field narrower than int counts as int, even an unsigned one
struct f { unsigned a : 3; unsigned b : 32; int c : 3; unsigned long d : 31; };
int main(void)
{
    struct f x = {1, 1, -1, 1};
    if (x.a - 2 > 0) return 1;
    if (x.b - 2 < 0) return 2;
    if (x.c < 0u + 0 ? 0 : 0) return 3;
    if (-x.a >= 0) return 4;
    if (x.a << 3 != 8) return 5;
    if (~x.a != -2) return 6;
    return 0;
}
