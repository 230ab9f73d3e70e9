// returns 21: a nested function cleans up its own variables, and none of the function around it
static int sum;

static void add(int *value)
{
    sum = sum * 2 + *value;
}

int main(void)
{
    int outer __attribute__((cleanup(add))) = 100;
    int inner(int x)
    {
        int own __attribute__((cleanup(add))) = x;
        if (x > 2) return outer + own;
        return own;
    }
    int first = inner(3), second = inner(1);
    if (first != 103 || second != 1 || sum != 7) return 1;
    return sum * 3;
}
