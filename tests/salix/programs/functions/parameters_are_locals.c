// returns 0: parameters can be changed and have addresses
static int gcd(int a, int b) { while (b) { int t = a % b; a = b; b = t; } return a; }
static void bump(int *p) { ++*p; }
static int f(int a, int b, int c, int d, int e, int g) { bump(&a); bump(&g); a += g; return a + b + c + d + e + g; }
static unsigned char wrap(unsigned char c) { c += 100; c += 100; return c; }
int main(void)
{
    if (gcd(48, 36) != 12 || f(1, 2, 3, 4, 5, 6) != 9 + 14 + 7 || wrap(100) != 44) return 1;
    return 0;
}
