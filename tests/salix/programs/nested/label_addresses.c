// returns 34: a nested function gives the address of a label of the function around it, which goes there
static int choose(int which)
{
    __label__ first, second, other;
    void *target(int n)
    {
        if (n == 1) return &&first;
        return n == 2 ? &&second : &&other;
    }
    goto *target(which);
first:
    return 30;
second:
    return 3;
other:
    return 1;
}

int main(void) { return choose(1) + choose(2) + choose(0); }
