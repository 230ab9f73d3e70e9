// returns 0: one header for two files, of which one is included as source
#include "stack.h"
#include "stack.c"
int main(void)
{
    struct stack s = {0};
    push(&s, 4);
    push(&s, 5);
    return pop(&s) == 5 && pop(&s) == 4 && s.depth == 0 && STACK_LIMIT == 8 ? 0 : 1;
}
