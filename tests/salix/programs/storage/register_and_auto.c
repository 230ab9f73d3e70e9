// returns 0: auto and register are accepted and mean nothing
static int sum(register const int *p, register int n) { register int s = 0; while (n-- > 0) s += *p++; return s; }
int main(void)
{
    auto int a = 1;
    register int list[3] = {1, 2, 3};
    auto const b = 2;
    return a + b + list[1] + sum((int[]){1, 1}, 2) - 7;
}
