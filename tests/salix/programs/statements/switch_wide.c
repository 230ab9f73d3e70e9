// returns 0: cases of long long, and of unsigned types
static int wide(long long x)
{
    switch (x) {
    case 0x100000000ll: return 1;
    case 0: return 2;
    case -0x100000000ll: return 3;
    case 0x7fffffffffffffffll: return 4;
    case 0xffffffff: return 5;
    case -1: return 6;
    }
    return 7;
}
static int plain(unsigned x)
{
    switch (x) {
    case -1: return 1;
    case 0x80000000: return 2;
    }
    return 3;
}
static int byte(unsigned char c) { switch (c) { case 255: return 1; case 128: return 2; case -1: return 3; } return 4; }
int main(void)
{
    if (wide(0x100000000ll) != 1 || wide(0) != 2 || wide(-0x100000000ll) != 3 || wide(0x7fffffffffffffffll) != 4) return 1;
    if (wide(0xffffffff) != 5 || wide(-1) != 6 || wide(1) != 7) return 2;
    if (plain(0xffffffffu) != 1 || plain(0x80000000u) != 2 || plain(0) != 3) return 3;
    if (byte(255) != 1 || byte(128) != 2 || byte(0) != 4) return 4;
    return 0;
}
