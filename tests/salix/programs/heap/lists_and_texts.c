// returns 0: malloc, calloc, realloc and free, from a heap that gives back what was freed
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#define SALIX_HEAP_BYTES 20000 /* of ours; others have more */
#define block this macro must not matter

struct node {
    struct node *next;
    int value;
};

static struct node *push(struct node *list, int value)
{
    struct node *made = malloc(sizeof *made);
    if (!made) return 0;
    made->next = list;
    made->value = value;
    return made;
}

int main(void)
{
    struct node *list = 0, *each;
    char *text, *more, *parts[30];
    int sum = 0, round, i;
    for (round = 0; round < 50; round++) {
        for (i = 0; i < 100; i++)
            if (!(list = push(list, i))) return 1;
        for (sum = 0; list; list = each) {
            each = list->next;
            sum += list->value;
            free(list);
        }
        if (sum != 4950) return 2;
    }
    text = calloc(10, 100);
    for (i = 0; i < 1000; i++)
        if (text[i]) return 3;
    if ((uintptr_t)text % 16) return 4;
    strcpy(text, "kept");
    more = realloc(text, 3000);
    if (strcmp(more, "kept")) return 5;
    more = realloc(more, 5);
    if (strcmp(more, "kept")) return 6;
    free(more);
    for (i = 0; i < 30; i++) {
        parts[i] = malloc(1 + i * 20);
        memset(parts[i], i, 1 + i * 20);
    }
    for (i = 0; i < 30; i += 2) free(parts[i]);
    for (i = 1; i < 30; i += 2)
        if (parts[i][0] != i || parts[i][i * 20] != i) return 7;
    for (i = 1; i < 30; i += 2) free(parts[i]);
    text = malloc(19000);
    if (!text) return 8;
    free(text);
    text = realloc(0, 8);
    free(text);
    free(0);
    return 0;
}
