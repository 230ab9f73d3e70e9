// returns 0: volatile objects are read and written each time, in order
static volatile int v, w[3];
static volatile struct { int a; volatile char b; } s;
int main(void)
{
    v = 1; v++; v += v;
    w[v - 4] = v; w[1] = w[0]++;
    volatile int *p = &w[2];
    *p = 9; (*p)--;
    s.a = s.b = 3;
    return v == 4 && w[0] == 5 && w[1] == 4 && w[2] == 8 && s.a + s.b == 6 ? 0 : 1;
}
