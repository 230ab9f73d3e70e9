// returns 0: strdup and strndup, declared, not declared, or by GNU's names
#include <string.h>
void free(void *);

int main(void)
{
    char text[] = "watch", *all = strdup(text), *part = strndup(text, 3), *more = strndup(text, 99);
    char *none = __builtin_strdup("");
    text[0] = 'm';
    if (strcmp(all, "watch") || strcmp(part, "wat") || strcmp(more, "watch") || strcmp(none, "")) return 1;
    if (strlen(part) != 3 || all == more) return 2;
    free(all);
    free(part);
    free(more);
    __builtin_free(none);
    return 0;
}
