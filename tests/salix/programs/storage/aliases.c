// returns 0: alias gives a second name to a variable or function, wherever that is defined
int value = 3;
extern int same __attribute__((alias("value")));
static int row[3] = {1, 2, 3};
extern int other_row[3] __attribute__((__alias__("row")));
int later(int x) __attribute__((alias("defined_below")));
static int hidden(int x) __attribute__((alias("defined_below"), unused));
extern int *const where;
int *const where = &same;

int main(void)
{
    int (*pointer)(int) = later;
    same = 5;
    if (value != 5 || &same != &value || where != &value) return 1;
    other_row[1] = 7;
    if (row[1] != 7 || sizeof other_row != 12) return 2;
    if (later(1) != 12 || pointer(2) != 13 || hidden(3) != 14) return 3;
    return 0;
}

int defined_below(int x)
{
    return x + 6 + value;
}
