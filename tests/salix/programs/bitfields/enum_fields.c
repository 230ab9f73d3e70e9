// returns 0: a field of an enumerated type is unsigned if no enumerator is negative
enum e { A, B, C, D };
struct f { enum e x : 2; enum e y : 3; };
int main(void)
{
    struct f f = {D, C};
    if (f.x != D || f.y != C) return 1;
    f.x = B;
    return f.x == B && f.y == C ? 0 : 2;
}
