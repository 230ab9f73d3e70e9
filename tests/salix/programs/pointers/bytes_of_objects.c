// returns 0: the bytes of objects, least significant first
int main(void)
{
    unsigned x = 0x04030201;
    unsigned char *p = (unsigned char *)&x;
    for (int i = 0; i < 4; i++)
        if (p[i] != i + 1) return 1;
    p[3] = 0xff;
    if (x != 0xff030201) return 2;
    long long l = -2;
    if (*(unsigned char *)&l != 254 || ((signed char *)&l)[7] != -1) return 3;
    return 0;
}
