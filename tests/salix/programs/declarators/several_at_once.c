// returns 0: one declaration of objects, pointers, arrays and functions
int x = 1, *p = &x, a[2] = {2, 3}, f(int), (*g)(int) = f, **pp = &p;
int f(int y) { return y + 1; }
int main(void)
{
    int z = *p + a[1], *q = &z, b[] = {z, *q + 1};
    if (z != 4 || *q != 4 || b[1] != 5 || sizeof b != 8) return 1;
    if (f(1) != 2 || g(2) != 3 || **pp != 1) return 2;
    return 0;
}
