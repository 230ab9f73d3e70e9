// returns 0: switches on calls, characters, enumerators, negatives, and with big gaps
enum e { A = -3, B, C = 1000000 };
static int f(enum e x) { switch (x) { case A: return 1; case B: return 2; case C: return 3; default: return 4; } }
static int g(const char *s)
{
    int n = 0;
    for (; *s; s++)
        switch (*s) {
        case 'a': case 'e': case 'i': case 'o': case 'u': n++; break;
        case ' ': n += 10; break;
        case '\0': n += 1000; break;
        case '\xff': n += 100;
        }
    return n;
}
int main(void)
{
    if (f(A) != 1 || f(B) != 2 || f(C) != 3 || f(5) != 4) return 1;
    return g("an idea \xff") == 4 + 20 + 100 ? 0 : 2;
}
