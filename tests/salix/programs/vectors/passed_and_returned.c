// returns 90: vectors go by value, alone, among many arguments, in structs, unions, arrays and through pointers
typedef int v2 __attribute__((vector_size(8)));
typedef long v8 __attribute__((vector_size(64)));
struct holder { char before; v2 v; char after; };
union either { v2 v; int parts[2]; long whole; };

static v2 swapped(v2 v)
{
    int first = v[0];
    v[0] = v[1];
    v[1] = first;
    return v;
}

static v8 many(int a, v8 v, int b, v2 w, int c, int d, v8 more) { return v * a + more * b + (v8){w[0], w[1], c, d}; }

static int recursive(v2 v, int n)
{
    v2 mine = v + n;
    return n == 0 ? mine[0] : recursive(mine, n - 1) + (mine[1] == v[1] + n);
}

int main(void)
{
    v2 v = {3, 4}, (*f)(v2) = swapped, array[3] = {{1, 2}, {3}};
    struct holder h = {1, {5, 6}, 2}, other = h;
    union either e = {{7, 8}};
    v8 big = many(2, (v8){1, 2, 3, 4, 5, 6, 7, 8}, 3, v, 5, 6, (v8){0} + 1);
    if (sizeof(struct holder) != 24 || _Alignof(v2) != 8) return 1;
    if (f(v)[0] != 4 || f(f(v))[0] != 3) return 2;
    other.v += h.v;
    if (other.v[1] != 12 || other.after != 2 || h.v[1] != 6) return 3;
    e.v -= 1;
    if (e.parts[0] != 6 || e.parts[1] != 7 || e.whole != (7l << 32 | 6)) return 4;
    array[2] = array[0] + array[1];
    if (array[2][0] != 4 || array[2][1] != 2) return 5;
    if (big[0] != 2 + 3 + 3 || big[3] != 8 + 3 + 6 || big[7] != 16 + 3) return 6;
    return recursive(v, 4) + 73;
}
