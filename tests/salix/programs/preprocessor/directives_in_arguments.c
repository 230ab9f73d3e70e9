// returns 0: the arguments of a macro may have comments, strings with commas and parentheses
#define COUNT(a, b) (sizeof(a) * 10 + (b))
#define TWO(a, b) a b
int main(void)
{
    if (COUNT(",)(", 1) != 41 || COUNT(((char)1), ')') != 51) return 1;
    if (COUNT(/* , */ "a" /* ) */, // b)
        2) != 22) return 2;
    int TWO(x, = 3), y = TWO(4, + 5);
    return x + y - 12;
}
