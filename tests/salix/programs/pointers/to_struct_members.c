// returns 0: pointers to members, and back to the struct
struct item { char name[5]; int weight; struct { short x, y; } at; };
#define ITEM_OF(p) ((struct item *)((char *)(p) - __builtin_offsetof(struct item, weight)))
int main(void)
{
    struct item i = {"bolt", 12, {3, 4}}, *p = &i;
    int *w = &i.weight;
    short *y = &p->at.y;
    *w += 1;
    *y = 9;
    if (i.weight != 13 || i.at.y != 9) return 1;
    if (ITEM_OF(w) != p || ITEM_OF(w)->name[2] != 'l') return 2;
    if ((*p).weight != 13 || (&i)->at.x != 3) return 3;
    return 0;
}
