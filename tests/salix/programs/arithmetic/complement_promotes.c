// returns 0: the complement of a small unsigned value is a negative int
int main(void)
{
    unsigned char c = 0x0f;
    unsigned short s = 0;
    if (~c != -16) return 1;
    if (~s != -1) return 2;
    if ((unsigned char)~c != 0xf0) return 3;
    if (~c >= 0) return 4;
    if ((unsigned short)~s != 65535) return 5;
    return 0;
}
