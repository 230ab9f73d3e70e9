// returns 0: operators bind as the grammar says
int main(void)
{
    int a = 2, b = 3, c = 4;
    if (a + b * c != 14) return 1;
    if (a * b + c != 10) return 2;
    if (a - b - c != -5) return 3;
    if (100 / 10 / 5 != 2) return 4;
    if ((a | b & c) != 2) return 5;
    if ((a ^ b | c & 1) != 1) return 6;
    if ((1 << a + 1) != 8) return 7;
    if ((a & b == 3) != 0) return 8;
    if (a < b == b < c ? 0 : 1) return 9;
    if (!a == 0 ? 0 : 1) return 10;
    if (-a * -b != 6) return 11;
    if ((a, b, c) != 4) return 12;
    if (1 || 0 && 0 ? 0 : 1) return 13;
    if (~a & 1 ? 0 : 1) return 14;
    if (10 % 4 * 3 != 6) return 15;
    return 0;
}
