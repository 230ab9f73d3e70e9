// returns 0: plain char is signed here, and a type of its own
int main(void)
{
    char c = (char)255;
    if (c != -1) return 1;
    if (c >> 1 != -1) return 2;
    if ('\xff' != -1) return 3;
    if ("\xff"[0] != -1) return 4;
    if (_Generic(c, signed char: 1, unsigned char: 2, char: 0)) return 5;
    return 0;
}
