// returns 0: goto into loops, branches and blocks
int main(void)
{
    int n = 0, i = 7;
    goto inside;
    while (n < 3) {
        n = 50;
inside:
        n++;
        break;
    }
    if (n != 1) return 1;
    goto branch;
    if (i == 0) {
branch:
        n += 10;
    } else n += 100;
    if (n != 11) return 2;
    goto loop;
    for (i = 0; i < 10; i++) {
        n = 1000;
loop:
        n++;
        if (i == 9) goto out;
        i = 9;
        goto loop;
    }
out:
    return n == 13 ? 0 : n;
}
