// returns 0: nested loops with break, continue, switch and goto between them
int main(void)
{
    int n = 0;
    for (int i = 0; i < 10; i++) {
        int j = 0;
        while (1) {
            j++;
            switch ((i + j) % 4) {
            case 0: continue;
            case 1: n++; break;
            case 2: if (j > 3) goto next; break;
            default: n += 2;
            }
            if (j > 5) break;
            do { if (n % 3) break; n++; } while (n % 5);
        }
        n += 100;
next:   ;
        if (i == 8) break;
    }
    int expected = 0;
    for (int i = 0; i <= 8; i++) {
        int j = 0, left = 0;
        for (;;) {
            j++;
            int k = (i + j) % 4;
            if (k == 0) continue;
            if (k == 1) expected++;
            else if (k == 2) { if (j > 3) { left = 1; break; } }
            else expected += 2;
            if (j > 5) break;
            while (expected % 3 == 0) { expected++; if (expected % 5 == 0) break; }
        }
        if (!left) expected += 100;
    }
    return n == expected ? 0 : 1;
}
