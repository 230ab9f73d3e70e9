// returns 0: unsigned fields hold their bits and wrap
struct f { unsigned a : 3, b : 5, c : 8, d : 16; };
int main(void)
{
    struct f x = {7, 31, 255, 65535};
    if (sizeof x != 4 || x.a != 7 || x.b != 31 || x.c != 255 || x.d != 65535) return 1;
    x.a++;
    if (x.a != 0 || x.b != 31) return 2;
    x.b = 33;
    if (x.b != 1 || x.a != 0 || x.c != 255) return 3;
    x.c += 2;
    if (x.c != 1 || x.b != 1 || x.d != 65535) return 4;
    x.d ^= 0xff;
    if (x.d != 0xff00 || x.c != 1) return 5;
    return 0;
}
