// returns 16: after a goto out of a nested function all goes on as before, again and again
int main(void)
{
    int rounds = 0, i;
    for (i = 0; i < 5; i++) {
        __label__ next, inside;
        int step(int n)
        {
            __label__ inside;
            int deeper(void) { goto inside; }
            if (n == 2) goto next;
            if (n == 3) deeper();
            return n;
        inside:
            return 10;
        }
        rounds += step(i);
        continue;
    next:
        rounds -= 1;
        goto inside;
    inside:;
    }
    return rounds + 2;
}
