// returns 0: control falls from case to case until a break
static int f(int x)
{
    int n = 0;
    switch (x) {
    case 1: n += 1;
    case 2: n += 10;
    case 3: n += 100; break;
    default: n += 1000;
    case 4: n += 10000; break;
    case 5: ;
    }
    return n;
}
int main(void)
{
    if (f(1) != 111 || f(2) != 110 || f(3) != 100 || f(4) != 10000 || f(5) != 0 || f(6) != 11000 || f(-1) != 11000) return 1;
    return 0;
}
