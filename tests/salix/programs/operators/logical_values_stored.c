// returns 0: comparisons and logical operators as ordinary values
int main(void)
{
    volatile int a = 3, b = 4;
    int x = a < b, y = a == b, z = !(a && b), w = a || b;
    if (x + y * 10 + z * 100 + w * 1000 != 1001) return 1;
    int count = (a > 1) + (a > 2) + (a > 3) + (b > 3);
    if (count != 3) return 2;
    if ((a == 3) != (b == 4)) return 3;
    if (-(a < b) != -1) return 4;
    if (sizeof(a < b) != sizeof(int) || sizeof(!0ll) != sizeof(int)) return 5;
    return 0;
}
