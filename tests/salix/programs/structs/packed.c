// returns 0: the packed attribute takes the padding out, and misaligned members still work
struct __attribute__((packed)) p { char c; int i; long l; short s; };
struct q { char c; int i; } __attribute__((packed));
int main(void)
{
    struct p x = {1, -2, -3, -4};
    struct q y[2] = {{1, 2}, {3, 4}};
    if (sizeof x != 15 || sizeof y != 10) return 1;
    x.l += 1;
    x.i *= 2;
    if (x.i != -4 || x.l != -2 || x.s != -4 || x.c != 1 || y[1].i != 4) return 2;
    if (((unsigned char *)&x)[1] != 0xfc) return 3;
    return 0;
}
