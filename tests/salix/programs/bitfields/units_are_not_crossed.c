// returns 0: a field that does not fit its type's unit goes to the next one
struct a { unsigned x : 20, y : 20; };
struct b { unsigned char x : 5, y : 5, z : 5; };
struct c { unsigned short x : 9, y : 9; char z; };
struct d { unsigned long x : 33, y : 33; };
struct e { unsigned long x : 40, y : 24; };
int main(void)
{
    if (sizeof(struct a) != 8 || sizeof(struct b) != 3 || sizeof(struct c) != 6) return 1;
    if (sizeof(struct d) != 16 || sizeof(struct e) != 8) return 2;
    struct a a = {0xfffff, 0x12345};
    struct b b = {31, 17, 9};
    struct d d = {0x1ffffffffull, 0x123456789ull};
    struct e e = {0xffffffffffull, 0xabcdef};
    if (a.x != 0xfffff || a.y != 0x12345 || b.x != 31 || b.y != 17 || b.z != 9) return 3;
    if (d.x != 0x1ffffffffull || d.y != 0x123456789ull) return 4;
    if (e.x != 0xffffffffffull || e.y != 0xabcdef) return 5;
    return 0;
}
