// returns 0: fields of different types share bytes where the layout lets them
struct a { unsigned char x : 4; unsigned short y : 10; unsigned z : 18; };
struct b { char c; unsigned x : 8; unsigned y : 16; };
struct c { unsigned x : 8; char c; unsigned y : 8; };
int main(void)
{
    if (sizeof(struct a) != 4 || sizeof(struct b) != 4 || sizeof(struct c) != 4) return 1;
    struct a a = {15, 1023, 0x3ffff};
    a.y = 0x155;
    if (a.x != 15 || a.y != 0x155 || a.z != 0x3ffff) return 2;
    union { struct b b; unsigned u; } u = {.b = {1, 2, 3}};
    if (u.u != 0x00030201) return 3;
    return 0;
}
