// returns 0: goto in both directions
int main(void)
{
    int i = 0, sum = 0;
again:
    sum += i;
    i++;
    if (i < 5) goto again;
    if (sum != 10) return 1;
    goto skip;
    sum = 100;
skip:
    if (sum != 10) return 2;
    for (i = 0; i < 10; i++)
        for (int j = 0; j < 10; j++)
            if (i * j == 42) goto found;
    return 3;
found:
    return i == 6 ? 0 : 4;
}
