// returns 0: a list is built, reversed in place, and summed
struct node { int value; struct node *next; };
int main(void)
{
    struct node pool[10], *head = 0, **end = &head;
    for (int i = 0; i < 10; i++) {
        pool[i].value = i;
        pool[i].next = 0;
        *end = &pool[i];
        end = &pool[i].next;
    }
    struct node *reversed = 0;
    while (head) {
        struct node *next = head->next;
        head->next = reversed;
        reversed = head;
        head = next;
    }
    int digits = 0;
    for (struct node *n = reversed; n && n->value > 4; n = n->next) digits = digits * 10 + n->value;
    return digits == 98765 ? 0 : 1;
}
