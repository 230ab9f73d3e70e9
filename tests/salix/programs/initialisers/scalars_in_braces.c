// returns 0: a scalar's initialiser may stand in braces, lists may end with a comma
static int a = {5}, list[] = {1, 2, 3,}, *p = {&a};
static struct { int x; char *s; } t = {{6}, {"s"},};
int main(void)
{
    int b = {7};
    long c = { b + a };
    if (a != 5 || sizeof list != 12 || *p != 5 || t.x != 6 || *t.s != 's' || b != 7 || c != 12) return 1;
    return 0;
}
