// returns 0: structs with padding, copied through bytes and by assignment
struct s { char a; long b; char c; };
int main(void)
{
    struct s x = {1, 2, 3}, y, z;
    unsigned char *p = (unsigned char *)&x, *q = (unsigned char *)&y;
    for (unsigned i = 0; i < sizeof x; i++) q[i] = p[i];
    z = y;
    return z.a == 1 && z.b == 2 && z.c == 3 && sizeof x == 24 ? 0 : 1;
}
