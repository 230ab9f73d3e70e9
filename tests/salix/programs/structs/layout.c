// returns 0: members are aligned, structs padded at the end
struct a { char c; int i; char d; };
struct b { char c; short s; char d; long l; };
struct c { struct a a; char x; };
struct d { char c[3]; };
struct e { long l; char c; };
union u { char c[9]; long l; };
struct f { char c; union u u; };
struct g { char c; struct d d[2]; short s; };
int main(void)
{
    if (sizeof(struct a) != 12 || sizeof(struct b) != 16 || sizeof(struct c) != 16 || sizeof(struct d) != 3) return 1;
    if (sizeof(struct e) != 16 || sizeof(union u) != 16 || sizeof(struct f) != 24 || sizeof(struct g) != 10) return 2;
    struct b b;
    if ((char *)&b.s - (char *)&b != 2 || (char *)&b.l - (char *)&b != 8) return 3;
    struct e pair[2];
    if ((char *)&pair[1] - (char *)&pair[0] != 16) return 4;
    return 0;
}
