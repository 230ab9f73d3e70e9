// returns 0: fields as wide as their type
struct f { unsigned char a : 8; unsigned short b : 16; int c : 32; long long d : 64; };
int main(void)
{
    struct f x = {255, 65535, -1, -1};
    if (sizeof x != 16 || x.a != 255 || x.b != 65535 || x.c != -1 || x.d != -1) return 1;
    x.d = 0x123456789abcdefll;
    x.c = 0x7fffffff;
    if (x.d != 0x123456789abcdefll || x.c != 0x7fffffff || x.b != 65535) return 2;
    return 0;
}
