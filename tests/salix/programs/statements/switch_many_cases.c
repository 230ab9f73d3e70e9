// returns 0: dense and sparse cases
static int dense(int x)
{
    switch (x) {
    case 0: return 10; case 1: return 11; case 2: return 12; case 3: return 13; case 4: return 14;
    case 5: return 15; case 6: return 16; case 7: return 17; case 8: return 18; case 9: return 19;
    }
    return -1;
}
static int sparse(int x)
{
    switch (x) {
    case -1000000: return 1; case -1: return 2; case 0: return 3; case 77: return 4; case 1000: return 5;
    case 1000000: return 6; case 2147483647: return 7; case -2147483647 - 1: return 8;
    default: return 9;
    }
}
int main(void)
{
    for (int i = 0; i < 10; i++) if (dense(i) != 10 + i) return 1;
    if (dense(10) != -1 || dense(-1) != -1) return 2;
    if (sparse(-1000000) != 1 || sparse(-1) != 2 || sparse(0) != 3 || sparse(77) != 4 || sparse(1000) != 5) return 3;
    if (sparse(1000000) != 6 || sparse(2147483647) != 7 || sparse(-2147483647 - 1) != 8 || sparse(78) != 9) return 4;
    return 0;
}
