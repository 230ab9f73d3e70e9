// returns 0: assignments and increments as conditions
int main(void)
{
    int n = 0, x;
    char text[] = "abc", *p = text, c;
    while ((c = *p++)) n += c;
    if ((x = n - 294)) return 1;
    if (!(x = 5) || x-- != 5 || --x != 3) return 2;
    while (x--) n++;
    for (int i = 3; i--;) n += i;
    return n == 294 + 3 + 3 && x == -1 ? 0 : 3;
}
