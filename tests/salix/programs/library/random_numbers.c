// returns 0: rand is the same for the same seed, and not negative
#include <stdlib.h>
int main(void)
{
    int first, second, i, differ = 0;
    srand(7);
    first = rand();
    second = rand();
    for (i = 0; i < 100; i++) {
        int x = rand();
        if (x < 0 || x > RAND_MAX) return 1;
        differ += x != first;
    }
    srand(7);
    return rand() == first && rand() == second && differ > 90 ? 0 : 2;
}
