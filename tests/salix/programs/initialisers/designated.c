// returns 0: members and elements by name, in any order, later ones win
struct s { int a, b, c; };
static struct s x = {.c = 3, .a = 1}, y = {.b = 5, 6, .a = 7}, z = {1, 2, .b = 9};
static int list[8] = {1, [4] = 5, 6, [1] = 2, [7] = 8};
int main(void)
{
    if (x.a != 1 || x.b != 0 || x.c != 3) return 1;
    if (y.a != 7 || y.b != 5 || y.c != 6) return 2;
    if (z.a != 1 || z.b != 9 || z.c != 0) return 3;
    if (list[0] != 1 || list[1] != 2 || list[2] || list[4] != 5 || list[5] != 6 || list[7] != 8) return 4;
    return 0;
}
