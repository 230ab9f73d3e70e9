// returns 0: unary minus promotes and keeps unsignedness
int main(void)
{
    unsigned char c = 1;
    unsigned u = 1;
    unsigned long l = 1;
    if (-c != -1) return 1;
    if (-u != 4294967295u) return 2;
    if (-u < 0) return 3;
    if (-l != 18446744073709551615ul) return 4;
    if (- -5 != 5) return 5;
    if (+c - 2 != -1) return 6;
    long wide = -u;
    if (wide != 4294967295l) return 7;
    return 0;
}
