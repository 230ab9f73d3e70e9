// returns 0: static objects with fields are laid out at compile time
struct f { unsigned a : 4; int b : 12; unsigned long c : 48; _Bool d : 1; char e; };
static struct f table[] = {{1, -2, 0xfedcba987654ul, 1, 'x'}, {.c = 5, .b = 2047}, {15}};
int main(void)
{
    if (table[0].a != 1 || table[0].b != -2 || table[0].c != 0xfedcba987654ul || !table[0].d) return 1;
    if (table[0].e != 'x' || table[1].a != 0 || table[1].b != 2047 || table[1].c != 5) return 2;
    if (table[2].a != 15 || table[2].b || table[2].d) return 3;
    return 0;
}
