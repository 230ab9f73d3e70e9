// returns 0: a search tree in a pool, inserted and walked without recursion
struct tree { struct tree *child[2]; int key; };
static struct tree pool[64];
static int used;
int main(void)
{
    struct tree *root = 0;
    for (int i = 0; i < 40; i++) {
        int key = i * 17 % 41;
        struct tree **p = &root;
        while (*p && (*p)->key != key) p = &(*p)->child[key > (*p)->key];
        if (!*p) { *p = &pool[used++]; (*p)->key = key; }
    }
    struct tree *stack[64];
    int depth = 0, last = -1, seen = 0;
    for (struct tree *t = root; t || depth;) {
        if (t) { stack[depth++] = t; t = t->child[0]; continue; }
        t = stack[--depth];
        if (t->key <= last) return 1;
        last = t->key;
        seen++;
        t = t->child[1];
    }
    return seen == 40 && used == 40 ? 0 : 2;
}
