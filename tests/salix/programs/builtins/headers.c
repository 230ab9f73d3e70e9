// returns 0: the headers that come with the compiler
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <limits.h>
#include <string.h>
struct s { char c; int32_t i; };
int main(void)
{
    bool yes = true, no = false;
    size_t n = offsetof(struct s, i);
    if (n != 4 || !yes || no || NULL != 0 || sizeof(uint64_t) != 8 || sizeof(ptrdiff_t) != 8) return 1;
    if (INT_MAX != 2147483647 || UINT8_MAX != 255 || LONG_MIN >= 0 || INT64_MAX != LLONG_MAX || CHAR_BIT != 8) return 2;
    char buffer[6];
    memcpy(buffer, "hello", 6);
    return strlen(buffer) == 5 && memcmp(buffer, "help", 3) == 0 && UINT64_C(1) << 40 == 1ull << 40 ? 0 : 3;
}
