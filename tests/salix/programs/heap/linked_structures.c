// returns 0: a tree and a list whose nodes come from the heap
#include <stdlib.h>

struct node {
    struct node *less, *more;
    int key;
};

static struct node *insert(struct node *tree, int key)
{
    if (!tree) {
        tree = calloc(1, sizeof *tree);
        tree->key = key;
    } else if (key < tree->key) {
        tree->less = insert(tree->less, key);
    } else if (key > tree->key) {
        tree->more = insert(tree->more, key);
    }
    return tree;
}

static int count(const struct node *tree)
{
    return tree ? count(tree->less) + 1 + count(tree->more) : 0;
}

static void drop(struct node *tree)
{
    if (!tree) return;
    drop(tree->less);
    drop(tree->more);
    free(tree);
}

struct item {
    struct item *next;
    short value;
};

int main(void)
{
    struct node *tree;
    struct item *list, *item;
    int round, i, sum;
    for (round = 0; round < 20; round++) {
        tree = 0;
        for (i = 0; i < 300; i++) tree = insert(tree, i * 7919 % 307);
        if (count(tree) != 300) return 1;
        drop(tree);
        list = 0;
        for (i = 0; i < 500; i++) {
            item = malloc(sizeof *item);
            if (!item) return 2;
            item->value = (short)i;
            item->next = list;
            list = item;
        }
        for (sum = 0; list; list = item) {
            item = list->next;
            sum += list->value;
            free(list);
        }
        if (sum != 499 * 250) return 3;
    }
    return 0;
}
