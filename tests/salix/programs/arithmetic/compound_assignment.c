// returns 0: every assignment operator
int main(void)
{
    int x = 100;
    x += 5; if (x != 105) return 1;
    x -= 10; if (x != 95) return 2;
    x *= 3; if (x != 285) return 3;
    x /= 4; if (x != 71) return 4;
    x %= 50; if (x != 21) return 5;
    x <<= 3; if (x != 168) return 6;
    x >>= 2; if (x != 42) return 7;
    x &= 0x3e; if (x != 42) return 8;
    x |= 1; if (x != 43) return 9;
    x ^= 0xff; if (x != 212) return 10;
    return 0;
}
