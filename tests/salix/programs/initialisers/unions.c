// returns 0: a union's first member, or the one that is named
union u { int i; char c[8]; struct { short a, b; } s; };
static union u x = {258}, y = {.c = "abc"}, z = {.s = {1, 2}}, list[] = {{1}, {.s.b = 3}, [0].c[1] = 1};
int main(void)
{
    if (x.c[0] != 2 || x.c[1] != 1 || y.i != 0x636261 || z.i != 0x20001 || list[1].i != 0x30000) return 1;
    union u local = {.c[3] = 'x'};
    if (local.i != 0x78000000) return 2;
    return 0;
}
