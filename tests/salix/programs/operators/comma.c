// returns 0: the comma operator sequences and yields its right side
int main(void)
{
    int a = 1, b;
    b = (a++, a + 10);
    if (b != 12) return 1;
    b = a++, a += 5;
    if (b != 2 || a != 8) return 2;
    for (a = 0, b = 10; a < b; a++, b--)
        ;
    if (a != 5 || b != 5) return 3;
    if ((a = 1, b = 2, a + b) != 3) return 4;
    int list[] = {(1, 2), (3, 4)};
    if (sizeof list / sizeof list[0] != 2 || list[1] != 4) return 5;
    if (sizeof((char)0, 1) != 4) return 6;
    return 0;
}
