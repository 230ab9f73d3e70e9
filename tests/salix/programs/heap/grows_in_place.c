// returns 0: an array that is made longer again and again, beside others; realloc of nothing, and to nothing
#include <stdlib.h>

int main(void)
{
    int *numbers = realloc(0, 4 * sizeof *numbers), *squares = 0, count = 0, room = 4, i;
    for (i = 0; i < 1500; i++) {
        if (count == room) {
            room *= 2;
            numbers = realloc(numbers, (unsigned long)room * sizeof *numbers);
        }
        numbers[count++] = i;
        if (i % 100 == 0) squares = realloc(squares, (unsigned long)(i / 100 + 1) * sizeof *squares);
        if (!numbers || !squares) return 1;
        squares[i / 100] = (i / 100) * (i / 100);
    }
    for (i = 0; i < count; i++)
        if (numbers[i] != i || squares[i / 100] != (i / 100) * (i / 100)) return 2;
    numbers = realloc(numbers, 10 * sizeof *numbers);
    for (i = 0; i < 10; i++)
        if (numbers[i] != i) return 3;
    if (realloc(numbers, 0)) return 4;
    free(squares);
    return 0;
}
