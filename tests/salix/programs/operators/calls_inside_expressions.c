// returns 0: values that live across calls survive them
static int twice(int x) { volatile int spoil[8]; for (int i = 0; i < 8; i++) spoil[i] = -1; return x * 2 + spoil[0] + 1; }
int main(void)
{
    int a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8;
    int sum = a + twice(b) + c + twice(d + twice(e)) + f * twice(g) + h;
    if (sum != 1 + 4 + 3 + 28 + 84 + 8) return 1;
    if (a + b + c + d + e + f + g + h != 36) return 2;
    if (twice(twice(twice(twice(1)))) != 16) return 3;
    int array[3] = {1, 2, 3};
    array[twice(1)] = twice(array[twice(0) + 1]) + array[2];
    if (array[2] != 7) return 4;
    return 0;
}
