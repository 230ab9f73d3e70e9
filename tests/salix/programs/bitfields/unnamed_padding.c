// returns 0: unnamed fields leave room and take no initialiser
struct f { unsigned a : 4; unsigned : 4; unsigned b : 8; int : 3; unsigned c : 2; };
int main(void)
{
    struct f x = {1, 2, 3};
    if (x.a != 1 || x.b != 2 || x.c != 3) return 1;
    union { struct f f; unsigned u; } u = {.u = 0};
    u.f.b = 0xff;
    if (u.u != 0xff00) return 2;
    u.f.c = 2;
    if (u.u != 0x10ff00) return 3;
    return 0;
}
