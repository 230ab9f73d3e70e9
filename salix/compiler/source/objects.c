/* Objects from their initialisers: the bytes of static ones, statements that set up local ones, compound literals. */

/* ---- static objects ---- */

static void write_bits(u8 *to, const Member *member, i64 value)
{
    u32 i, bit;
    for (i = 0; i < member->bit_width; i++) {
        bit = member->bit_offset + i;
        to[bit / 8] = (u8)((to[bit / 8] & ~(1u << bit % 8)) | ((u32)(value >> i) & 1) << bit % 8);
    }
}

static void write_static(Symbol *symbol, const Entry *entry);

static void write_entries(Symbol *symbol, const Entry *entry)
{
    for (; entry; entry = entry->next)
        if (entry->offset + size_of(entry->type) <= size_of(symbol->type) + (1 << 20)) write_static(symbol, entry);
}

static void write_static(Symbol *symbol, const Entry *entry)
{
    Node *node = entry->node;
    u8 *to = symbol->data + entry->offset;
    Symbol *target = 0, *string = string_of(node);
    i64 value = 0;
    u32 size = (u32)size_of(entry->type);
    while (node->kind == N_CAST && is_record(node->type)) node = node->a;
    if (is_error(node->type)) return;
    if (entry->type->kind == TYPE_ARRAY && string) {
        memcpy(to, string->data, size);
        return;
    }
    if ((is_record(entry->type) || entry->type->kind == TYPE_ARRAY) &&
        (node->kind == N_COMPOUND || node->kind == N_SYMBOL) && !node->symbol->is_local && node->symbol->data) {
        Relocation *relocation;
        memcpy(to, node->symbol->data, size);
        for (relocation = node->symbol->relocations; relocation; relocation = relocation->next) {
            Relocation *copy = keep(sizeof *copy);
            *copy = *relocation;
            copy->offset += (u32)entry->offset;
            copy->next = symbol->relocations;
            symbol->relocations = copy;
        }
        return;
    }
    if (!address_constant(node, &target, &value) || (target && (size != 8 || entry->member))) {
        error(node->position, "the initial value of something static must be known when the program is compiled");
        hint("assign it at the start of the function that the runtime calls");
        return;
    }
    if (target && target->kind == A_FUNCTION) {
        value += pointer_number(target);
        target = 0;
    }
    if (entry->member) {
        write_bits(to, entry->member, value);
        return;
    }
    if (target) {
        Relocation *relocation = symbol->relocations;
        while (relocation && relocation->offset != entry->offset) relocation = relocation->next;
        if (!relocation) {
            relocation = keep(sizeof *relocation);
            relocation->next = symbol->relocations;
            symbol->relocations = relocation;
        }
        relocation->offset = (u32)entry->offset;
        relocation->symbol = target;
        target->is_used = 1;
        put_in_object(target);
    }
    put_element(to, size < 4 ? size : 4, (u32)value);
    if (size == 8) put_element(to + 4, 4, (u32)((u64)value >> 32));
}

/* Where a static object goes, once its type and its data are known. */
/* Whether nothing but zeros is written to the object. */
static i32 is_zero(const Symbol *symbol)
{
    i64 i, size = size_of(symbol->type) + symbol->more_bytes;
    if (!symbol->data) return 1;
    if (symbol->relocations) return 0;
    for (i = 0; i < size; i++)
        if (symbol->data[i]) return 0;
    return 1;
}

static void choose_section(Symbol *symbol)
{
    if (!symbol->data || (!is_const(symbol->type) && is_zero(symbol))) symbol->section = SECTION_BSS;
    else symbol->section = is_const(symbol->type) && !is_volatile(symbol->type) ? SECTION_RODATA : SECTION_DATA;
}

static void initialise_static(Symbol *symbol)
{
    u64 used = scratch_bytes;
    i64 end;
    Entry *entries = parse_initialiser(&symbol->type, &end);
    i64 size = size_of(symbol->type);
    symbol->data = keep((u64)(end > size ? end : size) + 8);
    write_entries(symbol, entries);
    if (end > size && is_record(symbol->type)) symbol->more_bytes = end - size; /* a flexible array at the end */
    choose_section(symbol);
    if (!current_function) scratch_bytes = used;
}

/* ---- local objects ---- */

/* Statements that set up `symbol`, a local. */
static Node *initialise_local(Symbol *symbol, u32 position)
{
    Node *first = 0, **link = &first, *statement;
    Entry *entry;
    i64 end, highest = 0;
    entry = parse_initialiser(&symbol->type, &end);
    if (is_record(symbol->type) && symbol->type->record->is_flexible && end > size_of(symbol->type))
        error(position, "an array without a length has values only in something static");
    if (is_record(symbol->type) || symbol->type->kind == TYPE_ARRAY) {
        i64 covered = 0;
        Entry *each;
        for (each = entry; each && each->offset == covered && !each->member; each = each->next)
            covered += size_of(each->type);
        if (covered < size_of(symbol->type) || each) {
            statement = new_node(S_ZERO, &type_void, position);
            statement->symbol = symbol;
            *link = statement;
            link = &statement->next;
        }
    }
    for (; entry; entry = entry->next) {
        Node *place = symbol_node(symbol, position), *assign;
        if (entry->offset >= size_of(symbol->type) && size_of(symbol->type)) continue;
        if (place->type != entry->type || entry->offset || entry->member) {
            place = pair(N_MEMBER, entry->type, place, 0);
            place->value = entry->offset;
            place->member = entry->member;
        }
        assign = pair(N_ASSIGN, unqualified(entry->type), place, entry->node);
        if (entry->node->kind == N_CONST && entry->node->value == 0 && first && first->kind == S_ZERO &&
            entry->offset >= highest && !entry->member)
            continue;
        if (entry->offset + size_of(entry->type) > highest) highest = entry->offset + size_of(entry->type);
        assign->position = entry->node->position;
        statement = pair(S_EXPRESSION, &type_void, assign, 0);
        *link = statement;
        link = &statement->next;
    }
    return first;
}

static Node *parse_compound_literal(Type *type, u32 position)
{
    Symbol *symbol = new_symbol(0, A_VARIABLE, type, position);
    Node *node = new_node(N_COMPOUND, type, position);
    symbol->is_defined = symbol->is_used = 1;
    if (current_function) {
        symbol->is_local = 1;
        symbol->address_taken = 1;
        node->a = initialise_local(symbol, position);
    } else {
        symbol->is_static = 1;
        initialise_static(symbol);
        put_in_object(symbol);
    }
    node->symbol = symbol;
    node->type = symbol->type;
    return node;
}

/* A new object of a union type whose `member` is `value`. */
static Node *union_of(Type *type, Member *member, Node *value)
{
    Symbol *symbol = new_symbol(0, A_VARIABLE, type, value->position);
    Node *node = new_node(N_COMPOUND, type, value->position), *place;
    symbol->is_defined = symbol->is_used = symbol->is_local = symbol->address_taken = 1;
    place = pair(N_MEMBER, member->type, symbol_node(symbol, value->position), 0);
    place->value = member->offset;
    node->a = pair(S_EXPRESSION, &type_void, pair(N_ASSIGN, member->type, place, value), 0);
    node->symbol = symbol;
    return node;
}
