// returns 0: pointers become true or false
static int object;
int main(void)
{
    int *p = &object, *none = 0;
    _Bool a = p, b = none;
    if (!a || b) return 1;
    if (!!p != 1) return 2;
    if ((_Bool)p + (_Bool)none != 1) return 3;
    if (p && none) return 4;
    if (!(p || none)) return 5;
    return 0;
}
