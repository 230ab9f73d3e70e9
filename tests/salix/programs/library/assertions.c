// returns 6: assert drops its text or its condition, and may be included again
#include <assert.h>
static int calls;
static int yes(void)
{
    return ++calls;
}
static_assert(sizeof(int) == 4, "int");
int main(void)
{
    assert(yes());
    assert((yes(), yes() > 2) && "with a reason");
#define NDEBUG
#include <assert.h>
    assert(yes() < 0);
#undef NDEBUG
#include <assert.h>
    if (calls) assert(calls == 3); else return 1;
    return calls * 2;
}
