// returns 0: structs within structs, read and written at every level
struct a { int x; struct b { int y; struct { int z[2]; } c; } b, more[2]; };
int main(void)
{
    struct a s = {1, {2, {{3, 4}}}, {{5, {{6, 7}}}, {8, {{9, 10}}}}};
    if (s.b.c.z[1] != 4 || s.more[1].c.z[0] != 9) return 1;
    struct b in = s.more[0];
    in.c.z[0] = 60;
    s.b = in;
    if (s.b.y != 5 || s.b.c.z[0] != 60 || s.more[0].c.z[0] != 6) return 2;
    struct a *p = &s;
    p->more[1].c.z[1]++;
    if (s.more[1].c.z[1] != 11 || sizeof s != 40) return 3;
    return 0;
}
