// returns 0: labels have a name space of their own, and may follow each other
static int f(int x)
{
    goto x;
    x = 9;
x: y: z:
    x++;
    if (x < 5) goto y;
    if (x < 8) goto z;
    { int y = 2; x += y; }
    goto end;
end: ;
    return x;
}
static int g(void) { goto end; end: return 4; }
int main(void)
{
    return f(1) == 10 && g() == 4 ? 0 : 1;
}
