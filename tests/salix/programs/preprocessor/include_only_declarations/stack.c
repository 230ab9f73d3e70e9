#include "stack.h"
void push(struct stack *s, int value) { if (s->depth < STACK_LIMIT) s->values[s->depth++] = value; }
int pop(struct stack *s) { return s->depth ? s->values[--s->depth] : -1; }
