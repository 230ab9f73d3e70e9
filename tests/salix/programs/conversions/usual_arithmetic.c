// returns 0: the common type of two operands
int main(void)
{
    int i = -1;
    unsigned u = 1;
    long l = -1;
    unsigned long ul = 1;
    if (i < u) return 1;
    if (i < ul) return 2;
    if (!(l < u)) return 3;
    if (l < ul) return 4;
    if (sizeof(i + l) != 8 || sizeof(u + i) != 4 || sizeof(u + ul) != 8) return 5;
    if (i + u != 0) return 6;
    if (i * ul != 18446744073709551615ul) return 7;
    if ((u - 2) / 2 != 2147483647) return 8;
    if (u - 2 + l != 4294967294l) return 9;
    return 0;
}
