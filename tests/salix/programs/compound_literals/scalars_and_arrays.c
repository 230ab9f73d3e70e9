// returns 0: compound literals are objects
static int sum(const int *p, int n) { int s = 0; while (n--) s += *p++; return s; }
int main(void)
{
    int *p = (int[]){1, 2, 3};
    p[1] = 20;
    if (sum(p, 3) != 24 || sum((int[4]){5}, 4) != 5 || sum((const int[]){1, [3] = 4}, 4) != 5) return 1;
    if (*&(int){7} != 7 || (int){8} + 1 != 9 || ++(int){9} != 10) return 2;
    if (sizeof(int[]){1, 2} != 8 || sizeof((char[]){"abc"}) != 4) return 3;
    char *s = (char[]){"text"};
    s[0] = 'n';
    if (s[0] != 'n' || s[4]) return 4;
    return 0;
}
