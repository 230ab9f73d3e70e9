// returns 0: a returned struct as an argument, nested and recursive
struct v { int x, y, z; };
static struct v add(struct v a, struct v b) { return (struct v){a.x + b.x, a.y + b.y, a.z + b.z}; }
static struct v scale(struct v a, int k) { a.x *= k; a.y *= k; a.z *= k; return a; }
static struct v grow(struct v a, int depth) { return depth ? add(a, grow(scale(a, 2), depth - 1)) : a; }
int main(void)
{
    struct v a = {1, 2, 3};
    struct v r = add(scale(a, 10), add(a, scale(add(a, a), 3)));
    if (r.x != 17 || r.y != 34 || r.z != 51) return 1;
    r = grow(a, 3);
    if (r.x != 15 || r.z != 45) return 2;
    return scale(add(r, r), 2).y - 120;
}
