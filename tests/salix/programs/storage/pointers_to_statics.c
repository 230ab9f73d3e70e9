// returns 0: a function hands out the address of its static object
static int *cell(void) { static int x = 5; return &x; }
static const char *name(int i) { static char buffer[8] = "item ?"; buffer[5] = '0' + i; return buffer; }
int main(void)
{
    *cell() += 2;
    if (*cell() != 7) return 1;
    return name(3)[5] == '3' && name(4) == name(5) && name(6)[0] == 'i' ? 0 : 2;
}
