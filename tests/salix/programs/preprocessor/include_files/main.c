// returns 0: files that are included, guarded, once, twice, and from folders
#include "values.h"
#include "values.h"
#include "parts/once.h"
#include "parts/once.h"
#define VALUE 10
#include "each.h"
#undef VALUE
#define VALUE 20
#include "each.h"
#define HEADER "values.h"
#include HEADER
#define IN(folder) STR(folder/deep.h)
#define STR(x) #x
#include IN(parts)
static int table[] = {
#include "list.inc"
};
int main(void)
{
    if (values != 3 || once != 4 || value_10 != 10 || value_20 != 20 || deep != 7) return 1;
    if (sizeof table != 12 || table[2] != 3) return 2;
    if (values_line != 3) return 3;
    return values_file[0] == 0 ? 4 : 0;
}
