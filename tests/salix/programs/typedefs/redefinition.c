// returns 0: C11 lets a typedef be repeated with the same type
typedef unsigned long size;
typedef unsigned long size;
typedef struct node node;
typedef struct node node;
struct node { node *next; size value; };
int main(void)
{
    node b = {0, 2}, a = {&b, 1};
    return a.next->value == 2 && sizeof(size) == 8 ? 0 : 1;
}
