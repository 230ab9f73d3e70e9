// returns 0: every part of for may be missing
int main(void)
{
    int i = 0, n = 0;
    for (;;) { if (i++ == 5) break; }
    if (i != 6) return 1;
    for (; i < 10;) i++;
    for (int i = 0, j = 10; i < j; i += 2, j--) n++;
    if (n != 4 || i != 10) return 2;
    for (i = 0; i < 5; i++) { if (i % 2) continue; n += i; }
    if (n != 10 || i != 5) return 3;
    for (const char *p = "abc"; *p; p++) n++;
    if (n != 13) return 4;
    for (struct { int a; int b; } s = {0, 3}; s.a < s.b; s.a++) n++;
    if (n != 16) return 5;
    for (i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            if (j == i) break;
            n++;
        }
    return n == 19 ? 0 : 6;
}
