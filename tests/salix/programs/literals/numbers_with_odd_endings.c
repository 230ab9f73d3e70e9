// returns 0: preprocessing numbers that end in e, + and dots only look strange
#define e1 7
#define CAT(a, b) a##b
int main(void)
{
    int xe = 3, x = 0x1e +1;
    if (x != 31) return 1;
    if (0xe -1 != 13 || CAT(0x, e) + 2 != 16 || 1 + e1 != 8) return 2;
    return 0 + xe - 3;
}
