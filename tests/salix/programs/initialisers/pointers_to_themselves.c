// returns 0: static objects that point to each other and to themselves
struct node { struct node *next; int value; };
extern struct node b;
struct node a = {&b, 1}, b = {&a, 2}, self = {&self, 3};
void *own = &own;
int main(void)
{
    if (a.next->value != 2 || b.next->next->value != 2 || self.next->next->next != &self) return 1;
    return own == &own ? 0 : 2;
}
