// returns 0: unary operators in rows
int main(void)
{
    int x = 5, *p = &x;
    if (- - -x != -5) return 1;
    if (!!!x != 0) return 2;
    if (~~x != 5) return 3;
    if (-~x != 6 || ~-x != 4) return 4;
    if (- -*&*p != 5) return 5;
    if (!-!x != 1) return 6;
    if (+-+x != -5) return 7;
    return 0;
}
