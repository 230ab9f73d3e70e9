// returns 0: cases inside a loop that the switch jumps into
static void copy(char *to, const char *from, int count)
{
    int n = (count + 7) / 8;
    switch (count % 8) {
    case 0: do { *to++ = *from++;
    case 7:      *to++ = *from++;
    case 6:      *to++ = *from++;
    case 5:      *to++ = *from++;
    case 4:      *to++ = *from++;
    case 3:      *to++ = *from++;
    case 2:      *to++ = *from++;
    case 1:      *to++ = *from++;
            } while (--n > 0);
    }
}
int main(void)
{
    char a[40], b[40];
    for (int count = 1; count < 30; count++) {
        for (int i = 0; i < 40; i++) a[i] = i, b[i] = -1;
        copy(b, a, count);
        for (int i = 0; i < 40; i++) if (b[i] != (i < count ? i : -1)) return count;
    }
    return 0;
}
