// returns 0: one name as a tag, a typedef, a label, a member, a variable, a macro's parameter
struct x { int x; };
typedef struct x y;
static int z(int x) { return x; }
#define F(x) (x + z(x))
int main(void)
{
    struct x x = {1};
    goto x;
x:  { y x_ = x; struct x *y = &x_; x.x = y->x + F(x.x); }
    return x.x == 3 ? 0 : 1;
}
