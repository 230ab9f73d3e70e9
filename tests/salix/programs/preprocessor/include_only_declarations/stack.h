#ifndef STACK_H
#define STACK_H
#define STACK_LIMIT 8
struct stack { int depth, values[STACK_LIMIT]; };
void push(struct stack *, int);
int pop(struct stack *);
#endif
