// returns 46: cleanups in statement expressions, nested functions and functions that are inlined
static int sum;
static void add(int *value) { sum += *value; }
static void twice(int **value) { **value *= 2; }

static inline int small(int n)
{
    int kept __attribute__((cleanup(add))) = n;
    return kept + 1;
}

struct big { int values[9]; };
static struct big made(int n)
{
    struct big result = {{n, n + 1}};
    int *last __attribute__((cleanup(twice))) = &result.values[0];
    return result; /* as it is before it is changed */
}

int main(void)
{
    int local = 5;
    void nested(int *value)
    {
        int again __attribute__((cleanup(add))) = 1;
        local += *value;
    }
    int value = ({ int x __attribute__((cleanup(add))) = 3; x + 1; });
    int other = small(10) + small(2);
    {
        int y __attribute__((cleanup(nested))) = 6;
        y++;
    }
    return value + other + local + sum + made(1).values[0] - 1;
}
