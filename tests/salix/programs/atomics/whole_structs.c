// returns 0: a struct is loaded, stored, exchanged and compared as a whole
#include <stdatomic.h>

struct pair {
    int left, right;
};

int main(void)
{
    _Atomic struct pair shared;
    struct pair mine = {3, 4}, seen = {0, 0}, wanted = {3, 5};
    atomic_store(&shared, mine);
    seen = atomic_load(&shared);
    if (seen.left != 3 || seen.right != 4) return 1;
    if (atomic_compare_exchange_strong(&shared, &wanted, mine) || wanted.right != 4) return 2;
    mine.left = 8;
    if (!atomic_compare_exchange_strong(&shared, &wanted, mine)) return 3;
    seen = atomic_exchange(&shared, wanted);
    if (seen.left != 8 || seen.right != 4) return 4;
    seen = atomic_load(&shared);
    return seen.left == 3 ? 0 : 5;
}
