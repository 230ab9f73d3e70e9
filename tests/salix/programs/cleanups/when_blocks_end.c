// returns 0: what a variable's cleanup names is called when its block ends, the last variable first, with its address
static int order[16], count;
static void note(int *value) { order[count++] = *value; }
static void note_long(long *value) { order[count++] = (int)*value + 100; }
struct pair { int a, b; };
static void note_pair(struct pair *pair) { order[count++] = pair->a * 10 + pair->b; }
#define NOTED __attribute__((cleanup(note)))

int main(void)
{
    int first NOTED = 1, plain = 50;
    {
        NOTED int second = 2, third = 3;
        long fourth __attribute__((__cleanup__(note_long))) = 4;
        int fifth NOTED = 5;
        struct pair sixth __attribute__((cleanup(note_pair))) = {6, 7};
        second += 10;
        note(&plain);
        {
            NOTED int inner = third + fifth;
        }
    }
    static const int expected[] = {50, 8, 67, 5, 104, 3, 12};
    int i;
    if (count != 7) return 1;
    for (i = 0; i < 7; i++)
        if (order[i] != expected[i]) return 2 + i;
    return first - 1;
}
