/* Second names for what the program defines: __attribute__((alias("name"))). Resolved once the program is parsed. */

static Symbol *first_alias;

/* `symbol` is declared to be what is called `name`. */
static void note_alias(Symbol *symbol, Name *name)
{
    if (symbol->alias) return;
    symbol->alias = name;
    symbol->is_extern = 0;
    symbol->next_alias = first_alias;
    first_alias = symbol;
}

/* What `symbol` is another name of; itself if it is none. */
static Symbol *original(Symbol *symbol)
{
    u32 steps = 0;
    while (symbol->alias && symbol->alias->global && steps++ < 16) symbol = symbol->alias->global;
    return symbol;
}

/* Code and data that refer to an alias refer to the original from here on. */
static void resolve_aliases(void)
{
    Symbol *symbol;
    Relocation *relocation;
    u32 i;
    for (symbol = first_alias; symbol; symbol = symbol->next_alias) {
        Symbol *target = original(symbol);
        if (target->alias || !target->is_defined || target->kind != symbol->kind) {
            error_about(symbol->position, "the alias ", symbol->name,
                        " is another name of something that is not defined");
            continue;
        }
        put_in_object(target); /* even if nobody names it otherwise */
        if (symbol->kind != A_FUNCTION) continue;
        symbol->function = target->function;
        symbol->is_defined = 1;
        put_in_object(symbol);
        if (!symbol->is_static || symbol->pointer_number) reach_function(symbol->function);
    }
    if (!first_alias) return;
    for (i = 1; i <= global_count; i++) {
        if (!globals[i]->alias) continue;
        globals[i] = original(globals[i]);
        globals[i]->index = i;
    }
    for (symbol = first_symbol; symbol; symbol = symbol->next)
        for (relocation = symbol->relocations; relocation; relocation = relocation->next)
            relocation->symbol = original(relocation->symbol);
}
