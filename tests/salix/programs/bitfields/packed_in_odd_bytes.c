// returns 0: packed bit-fields touch the bytes that they lie in, three or nine, and none beside them
struct __attribute__((packed)) three {
    unsigned x : 20;
};
struct __attribute__((packed)) nine {
    unsigned char head : 5;
    unsigned long u : 63;
    signed char tail : 3;
};
struct __attribute__((packed)) signed_nine {
    unsigned char head : 7;
    long s : 61;
    long t : 60;
};
static struct three rows[3];
static struct nine known = {3, 0x7123456789abcdefUL, -2};
static struct signed_nine other = {5, -3, 0x712345678abcdefL};

int main(void)
{
    struct nine n = {0};
    volatile unsigned long wide = 0x7123456789abcdefUL;
    if (sizeof rows != 9 || sizeof n != 9 || sizeof other != 16) return 1;
    rows[1].x = 0xfffff;
    rows[2].x = 0x12345;
    if (rows[0].x != 0 || rows[1].x != 0xfffff || rows[2].x != 0x12345) return 2;
    rows[1].x = 0x54321;
    if (rows[0].x != 0 || rows[1].x != 0x54321 || rows[2].x != 0x12345) return 3;
    n.head = 3;
    n.tail = -2;
    n.u = wide;
    if ((unsigned long)n.u != wide || n.head != 3 || n.tail != -2) return 4;
    if (__builtin_memcmp(&n, &known, sizeof n) != 0) return 5;
    n.u += 1;
    if ((unsigned long)n.u != wide + 1 || n.head != 3 || n.tail != -2) return 6;
    if ((long)other.s != -3 || (long)other.t != 0x712345678abcdefL || other.head != 5) return 7;
    other.s = -(1L << 60);
    other.t--;
    if ((long)other.s != -(1L << 60) || (long)other.t != 0x712345678abcdeeL || other.head != 5) return 8;
    return 0;
}
