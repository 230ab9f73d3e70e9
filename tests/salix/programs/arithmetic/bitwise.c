// returns 0: and, or, exclusive or, complement
int main(void)
{
    volatile unsigned a = 0xf0f0f0f0u, b = 0x00ffff00u;
    volatile long long c = -1;
    if ((a & b) != 0x00f0f000u) return 1;
    if ((a | b) != 0xf0fffff0u) return 2;
    if ((a ^ b) != 0xf00f0ff0u) return 3;
    if (~a != 0x0f0f0f0fu) return 4;
    if ((c ^ 0xff) != -256) return 5;
    if (~c != 0) return 6;
    if ((a & c) != 0xf0f0f0f0ll) return 7;
    return 0;
}
