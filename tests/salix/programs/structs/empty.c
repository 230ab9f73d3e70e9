// returns 0: empty structs, as other compilers have them
struct e {};
struct f { struct e e; int x; };
static struct e make(struct e e) { return e; }
int main(void)
{
    struct e a, b;
    struct f f = {{}, 4};
    b = make(a);
    return sizeof(struct e) == 0 && f.x == 4 && sizeof f == 4 ? 0 : 1;
}
