// returns 12: a function of the program's own beats the library's of the same name, wherever it stands
int atoi(const char *text);
static int abs_twice(int x);

static long atol(int x)
{
    return x + 1;
}

int main(void)
{
    return atoi("a") + (int)atol(2) + abs_twice(1);
}

int atoi(const char *text)
{
    return *text == 'a' ? 7 : 1;
}

static int abs_twice(int x)
{
    return 2 * x;
}
