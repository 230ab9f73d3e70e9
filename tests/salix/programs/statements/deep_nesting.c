// returns 0: blocks, loops and conditions twenty levels deep
int main(void)
{
    int n = 0;
    { { { { { { { { { { { { { { { { { { { { n++; } } } } } } } } } } } } } } } } } } } }
    if (n) if (n) if (n) if (n) if (n) if (n) if (n) if (n) if (n) if (n) n++;
    for (int a = 0; a < 2; a++) for (int b = 0; b < 2; b++) for (int c = 0; c < 2; c++)
        for (int d = 0; d < 2; d++) for (int e = 0; e < 2; e++) for (int f = 0; f < 2; f++) n++;
    if (n != 66) return 1;
    return ((((((((((((((((((((n - 66))))))))))))))))))));
}
