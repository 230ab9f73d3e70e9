// returns 0: an assignment has the value that is stored, and groups to the right
int main(void)
{
    int a, b;
    unsigned char c;
    a = b = 300;
    if (a != 300 || b != 300) return 1;
    a = c = 300;
    if (a != 44 || c != 44) return 2;
    if ((a = 5) + (b = 6) != 11) return 3;
    a += b -= 2;
    if (a != 9 || b != 4) return 4;
    if ((c = -1) != 255) return 5;
    _Bool t;
    if ((t = 77) != 1) return 6;
    return 0;
}
