// returns 0: empty braces, which other compilers allow, zero the object
struct s { int a, b[3]; };
int main(void)
{
    struct s s = {};
    int list[5] = {};
    static struct s t = {};
    return s.a || s.b[2] || list[4] || t.b[0] ? 1 : 0;
}
