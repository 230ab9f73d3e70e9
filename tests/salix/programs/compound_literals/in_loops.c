// returns 0: a compound literal in a loop is initialised anew
int main(void)
{
    int total = 0;
    for (int i = 0; i < 4; i++) {
        int *p = (int[3]){i, i * i};
        if (p[2]) return 1;
        p[2] = 7;
        total += p[0] + p[1];
    }
    return total == 20 ? 0 : 2;
}
