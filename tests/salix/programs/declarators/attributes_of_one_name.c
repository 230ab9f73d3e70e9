// returns 0: attributes behind a name are that name's, those in front of it are of all
static int value = 3, other_value = 4;
static int a __attribute__((aligned(64))), b;
extern int c __attribute__((alias("value"))), d;
int d = 5;
__attribute__((aligned(32))) static int e, f;

int main(void)
{
    if (__alignof__(a) != 64 || __alignof__(b) != 4) return 1;
    if (__alignof__(e) != 32 || __alignof__(f) != 32) return 2;
    return c == 3 && d == 5 && other_value == 4 ? 0 : 3;
}
