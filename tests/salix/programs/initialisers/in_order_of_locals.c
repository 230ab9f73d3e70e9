// returns 0: locals are initialised in order, and may use those before them and themselves' addresses
int main(void)
{
    int a = 3, b = a * 2, *p = &b, c = *p + a;
    struct node { struct node *self; int n; } node = {&node, c};
    int size = sizeof(node);
    if (c != 9 || node.self != &node || node.self->n != 9 || size != 16) return 1;
    int list[] = {a, b, a + b, list == 0};
    if (list[2] != 9 || list[3]) return 2;
    return 0;
}
