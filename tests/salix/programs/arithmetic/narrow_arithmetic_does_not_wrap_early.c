// returns 0: small types are computed as int, and wrap when they are stored
int main(void)
{
    unsigned char a = 250, b = 10;
    signed char c = 100, d = 100;
    short s = 30000;
    if (a + b != 260) return 1;
    unsigned char sum = a + b;
    if (sum != 4) return 2;
    if (c + d != 200) return 3;
    if (s + s != 60000) return 4;
    if (s * s != 900000000) return 5;
    if (b - a != -240) return 6;
    return 0;
}
