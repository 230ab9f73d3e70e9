// returns 0: a compound assignment computes in the common type, then converts back
int main(void)
{
    unsigned char c = 250;
    c += 10;
    if (c != 4) return 1;
    c -= 5;
    if (c != 255) return 2;
    signed char s = 127;
    s = s + 1 - 1;
    if (s != 127) return 3;
    int i = 7;
    i /= 2ull;
    if (i != 3) return 4;
    unsigned u = 10;
    u *= -1;
    if (u != 4294967286u) return 5;
    short h = -3;
    h >>= 1;
    if (h != -2) return 6;
    int j = -8;
    j /= 3l;
    if (j != -2) return 7;
    c = 3;
    if ((c *= 100) != 44) return 8;
    return 0;
}
