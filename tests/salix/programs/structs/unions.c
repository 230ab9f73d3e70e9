// returns 0: all members of a union begin at its first byte
union u { unsigned char c[8]; unsigned short s; unsigned i; unsigned long l; };
static union u make(unsigned long x) { union u u = {.l = x}; return u; }
static int low(union u u) { return u.c[0]; }
int main(void)
{
    union u u = {{1, 2, 3}};
    if (u.i != 0x030201 || sizeof u != 8) return 1;
    u.s = 0xffff;
    if (u.l != 0x03ffff) return 2;
    if ((void *)&u.s != (void *)&u || make(0x1122).c[1] != 0x11 || low(make(77)) != 77) return 3;
    union u v = u;
    v.c[0] = 0;
    if (u.c[0] != 255 || v.i != 0x03ff00) return 4;
    return 0;
}
