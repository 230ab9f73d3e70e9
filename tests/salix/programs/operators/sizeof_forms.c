// returns 0: sizeof of types and expressions, which are not evaluated
int main(void)
{
    int i = 0, a[10], m[3][4];
    if (sizeof(int) != 4 || sizeof i != 4 || sizeof(i) != 4) return 1;
    if (sizeof a != 40 || sizeof a[0] != 4 || sizeof(a + 0) != 8 || sizeof &a != 8) return 2;
    if (sizeof m != 48 || sizeof m[0] != 16 || sizeof *m != 16 || sizeof **m != 4) return 3;
    if (sizeof i++ != 4 || i != 0) return 4;
    if (sizeof(char) != 1 || sizeof(short) != 2 || sizeof(long) != 8 || sizeof(long long) != 8) return 5;
    if (sizeof(int[5]) != 20 || sizeof(int *[5]) != 40 || sizeof(int(*)[5]) != 8) return 6;
    if (sizeof 'a' != 4 || sizeof "abc" != 4 || sizeof "" != 1) return 7;
    if (sizeof(struct { char c; int i; }) != 8) return 8;
    if (sizeof sizeof i != 8 || sizeof(int) * 2 != 8 || sizeof -i != 4) return 9;
    if (-1 < sizeof(int)) return 10;
    return 0;
}
