// returns 0: a menu of static structs, with strings, counts and tables of pointers
struct item { const char *label; int cost; };
struct menu { const char *name; const struct item *items; int count; };
static const struct item drinks[] = {{"tea", 2}, {"coffee", 3}};
static const struct item foods[] = {{"soup", 5}, {"rice", 4}, {"bread", 1}};
static const struct menu menus[] = {
    {"drinks", drinks, sizeof drinks / sizeof drinks[0]},
    {.name = "foods", .items = foods, .count = sizeof foods / sizeof *foods},
};
static const struct menu *const all[] = {&menus[1], &menus[0], 0};
int main(void)
{
    int total = 0;
    for (const struct menu *const *m = all; *m; m++)
        for (int i = 0; i < (*m)->count; i++)
            total = total * 10 + (*m)->items[i].cost;
    if (total != 54123) return 1;
    return all[0]->items[2].label[4] == 'd' ? 0 : 2;
}
