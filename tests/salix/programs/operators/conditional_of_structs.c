// returns 0: ?: chooses between structs
struct pair { int a, b; };
int main(void)
{
    struct pair x = {1, 2}, y = {3, 4};
    volatile int yes = 1;
    struct pair z = yes ? x : y;
    if (z.a != 1 || z.b != 2) return 1;
    if ((yes ? y : x).b != 4) return 2;
    z = !yes ? x : y;
    if (z.a != 3) return 3;
    return 0;
}
