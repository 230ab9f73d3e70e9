// returns 0: an expression tree of tagged unions is evaluated
struct node {
    enum { NUMBER, ADD, MULTIPLY, NEGATE } kind;
    union { int number; struct { struct node *left, *right; } two; struct node *one; } u;
};
static int value(const struct node *n)
{
    switch (n->kind) {
    case NUMBER: return n->u.number;
    case ADD: return value(n->u.two.left) + value(n->u.two.right);
    case MULTIPLY: return value(n->u.two.left) * value(n->u.two.right);
    case NEGATE: return -value(n->u.one);
    }
    return 0;
}
int main(void)
{
    struct node three = {NUMBER, {3}}, four = {NUMBER, {4}};
    struct node sum = {ADD, {.two = {&three, &four}}};
    struct node product = {MULTIPLY, {.two = {&sum, &four}}};
    struct node minus = {NEGATE, {.one = &product}};
    return value(&minus) == -28 ? 0 : 1;
}
