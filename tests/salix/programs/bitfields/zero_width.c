// returns 0: a field of width zero starts the next unit
struct a { unsigned x : 3; unsigned : 0; unsigned y : 4; };
struct b { char c; int : 0; char d; };
struct c { unsigned char x : 3; unsigned char : 0; unsigned char y : 3; };
int main(void)
{
    struct a a = {7, 15};
    if (sizeof(struct a) != 8 || sizeof(struct b) != 5 || sizeof(struct c) != 2) return 1;
    if (((unsigned char *)&a)[4] != 15) return 2;
    if (__builtin_offsetof(struct b, d) != 4) return 3;
    return 0;
}
