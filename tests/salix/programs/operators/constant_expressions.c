// returns 0: what must be constant may use all integer operators
enum { A = 1 << 4, B = A | 3, C = ~A & 0xff, D = A > B ? A : B, E = !A, F = -A / 3, G = (int)(char)300, H = sizeof(int) * 2 };
static int table[(A + B) % 7 + 1];
static unsigned long big = 1ull << 40 | 5;
static int negative = -(5 - 7 * 2);
static int logic = (1 && 2) + (0 || 3) + (3 != 4);
int main(void)
{
    if (A != 16 || B != 19 || C != 0xef || D != 19 || E != 0 || F != -5 || G != 44 || H != 8) return 1;
    if (sizeof table / sizeof *table != 1) return 2;
    if (big != 1099511627781ul || negative != 9 || logic != 3) return 3;
    switch (19) {
    case A + 3: return 0;
    case A ^ 4: return 4;
    }
    return 5;
}
