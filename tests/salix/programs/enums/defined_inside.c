// returns 0: an enum defined within a struct, a parameter list's cast and a sizeof
struct holder { enum kind { NONE, SOME, MANY } kind; int count; };
int main(void)
{
    struct holder h = {MANY, 3};
    if (h.kind != 2) return 1;
    enum kind k = SOME;
    if (k != 1) return 2;
    if (sizeof(enum { Q = 12 }) != 4 || Q != 12) return 3;
    int cast = (enum { R = 5 })3;
    if (cast != 3 || R != 5) return 4;
    return 0;
}
