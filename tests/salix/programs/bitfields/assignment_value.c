// returns 0: an assignment to a field has the field's value
struct f { unsigned a : 4; signed b : 4; };
int main(void)
{
    struct f x;
    int v = x.a = 20;
    if (v != 4) return 1;
    v = x.b = 15;
    if (v != -1) return 2;
    if ((x.a += 13) != 1) return 3;
    if (x.a++ != 1 || ++x.a != 3) return 4;
    if (--x.b != -2 || x.b-- != -2 || x.b != -3) return 5;
    x.a = x.b = 7;
    if (x.a != 7 || x.b != 7) return 6;
    return 0;
}
