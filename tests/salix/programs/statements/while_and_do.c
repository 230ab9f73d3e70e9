// returns 0: loops with break and continue
int main(void)
{
    int i = 0, sum = 0;
    while (i < 10) {
        i++;
        if (i == 3) continue;
        if (i == 8) break;
        sum += i;
    }
    if (sum != 25) return 1;
    do {
        sum--;
        if (sum == 20) continue;
        if (sum == 10) break;
    } while (sum > 0);
    if (sum != 10) return 2;
    do i++; while (0);
    if (i != 9) return 3;
    while (i --> 5);
    if (i != 4) return 4;
    do { if (i) continue; return 5; } while (0);
    return 0;
}
