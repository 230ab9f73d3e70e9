// returns 0: both sides of ?: are brought to one type
int main(void)
{
    volatile int yes = 1;
    if ((yes ? -1 : 0u) < 0) return 1;
    if ((yes ? -1 : 0l) >= 0) return 2;
    if (sizeof(yes ? 1 : 1ll) != 8) return 3;
    if (sizeof(yes ? (char)1 : (char)2) != 4) return 4;
    unsigned char c = 200;
    signed char d = -1;
    if ((yes ? d : c) != -1) return 5;
    long wide = yes ? -1 : 1u;
    if (wide != 4294967295l) return 6;
    int x = 5, *p = yes ? &x : 0;
    if (*p != 5) return 7;
    void *v = yes ? (void *)&x : p;
    if (v != p) return 8;
    return 0;
}
