/* Initialisers: a list of (place, value), in the order in which they are written. */

typedef struct Entry {
    struct Entry *next;
    Type *type;
    Member *member; /* of a bit-field */
    Node *node;
    i64 offset;
} Entry;

/* A union, and which of its members has been given. */
typedef struct Chosen {
    struct Chosen *next;
    Type *type;
    i64 offset;
    Member *member;
} Chosen;

typedef struct {
    Entry *first;
    Entry **link;
    i64 end; /* of the part that has been given */
    Chosen *chosen;
    u8 excess;     /* said once is enough */
    Node *pending; /* an expression that was read, and turned out to be for something inside */
} Initialiser;

static Initialiser *init;

static void init_value(Type *type, i64 offset, Member *member);

static void add_entry(Type *type, i64 offset, Member *member, Node *node)
{
    Entry *entry = scratch(sizeof *entry);
    i64 size = member && member->is_bit_field ? member->unit_bytes : size_of(type);
    entry->type = type;
    entry->offset = offset;
    entry->member = member && member->is_bit_field ? member : 0;
    entry->node = node;
    *init->link = entry;
    init->link = &entry->next;
    if (offset + size > init->end) init->end = offset + size;
}

/* Leaves out what was given of `size` bytes: a later initialiser takes the place of all of them (C11 6.7.9). */
static void forget(i64 offset, i64 size)
{
    Entry **link = &init->first;
    if (offset >= init->end) return;
    while (*link) {
        Entry *entry = *link;
        i64 start = entry->offset + (entry->member ? entry->member->bit_offset / 8 : 0);
        if (start >= offset && start < offset + size) *link = entry->next;
        else link = &entry->next;
    }
    init->link = link;
}

/* This member of the union at `offset` is given now; whatever was given of another is not its value any more. */
static void choose(Type *type, i64 offset, Member *member)
{
    Chosen *chosen = offset < init->end ? init->chosen : 0;
    while (chosen && (chosen->offset != offset || chosen->type != type)) chosen = chosen->next;
    if (!chosen) {
        chosen = scratch(sizeof *chosen);
        chosen->next = init->chosen;
        chosen->type = type;
        chosen->offset = offset;
        chosen->member = member;
        init->chosen = chosen;
    }
    if (chosen->member != member) forget(offset, size_of(type));
    chosen->member = member;
}

/* The member of this name, or the anonymous one that has it. */
static Member *member_with(const Type *type, const Name *name)
{
    Member *member = type->record->members;
    i64 ignored = 0;
    while (member && member->name != name &&
           (member->name || !is_record(member->type) || !find_member(member->type, name, &ignored)))
        member = member->next;
    return member;
}

static i32 is_character_array(const Type *type)
{
    return type->kind == TYPE_ARRAY && is_integer(type->base) && type->base->kind != TYPE_BOOL;
}

static Symbol *string_of(Node *node)
{
    return node && node->kind == N_SYMBOL && node->symbol->is_string ? node->symbol : 0;
}

static void init_string(Type *type, i64 offset, Symbol *string, u32 position)
{
    Node *node = symbol_node(string, position);
    i64 unit = size_of(string->type->base), count = string->type->count;
    if (unit != size_of(type->base)) {
        error(position, "this string has other characters than the array");
        return;
    }
    if (type->count >= 0 && count > type->count) {
        if (count - 1 > type->count) warning(position, "this string is longer than its array, and is cut");
        count = type->count;
    }
    add_entry(array_of(type->base, count), offset, 0, node);
}

static i32 more_items(void)
{
    return kind_now() == ',' && kind_after() != '}' && kind_after() != '.' && kind_after() != '[';
}

/* Fills an object without braces of its own, from its element `index` or its member `member` on. If that is not the
 * first, what is before has been given, and a comma leads on. */
static void init_from(Type *type, i64 offset, i64 index, Member *member, i32 first)
{
    if (type->kind == TYPE_ARRAY) {
        for (; type->count < 0 || index < type->count; index++) {
            if (!first && !init->pending) {
                if (!more_items()) return;
                advance();
            }
            first = 0;
            init_value(type->base, offset + index * size_of(type->base), 0);
            if (panic) return;
        }
    } else {
        for (; member; member = member->next) {
            if (member->is_bit_field && !member->name) continue;
            if (!first && !init->pending) {
                if (!more_items()) return;
                advance();
            }
            first = 0;
            if (type->kind == TYPE_UNION) choose(type, offset, member);
            init_value(member->type, offset + member->offset, member);
            if (panic || type->kind == TYPE_UNION) return;
        }
    }
}

static void init_unbraced(Type *type, i64 offset)
{
    init_from(type, offset, 0, is_record(type) ? type->record->members : 0, 1);
}

/* `.name` or `[index]`: what it designates inside of `type`. If the name is that of a member of an anonymous member, that is
 * designated first, and the name stays for the next step. */
static Type *designated(Type *type, i64 *offset, Member **member, i64 *last)
{
    Name *name;
    *member = 0;
    if (kind_now() == '[') {
        u32 position = here();
        i64 index;
        advance();
        index = constant_expression("the index of an element");
        *last = index;
        if (accept(P_ELLIPSIS)) *last = constant_expression("the index of an element");
        expect(']', "an index ends with `]`");
        if (type->kind != TYPE_ARRAY || index < 0 || *last < index || (type->count >= 0 && *last >= type->count) ||
            *last > 1 << 24) {
            error(position, "there is no such element here");
            return &type_error;
        }
        *offset += index * size_of(type->base);
        *last -= index;
        return type->base;
    }
    if (kind_after() != T_NAME) {
        advance();
        confused(here(), "the name of a member should stand here");
        return &type_error;
    }
    name = tokens[at_token + 1].u.name;
    *member = is_record(type) ? member_with(type, name) : 0;
    if (!*member) {
        begin_error(tokens[at_token + 1].position);
        say_type(type);
        say(" has no member ");
        say_name(name);
        end_message();
    } else {
        if (type->kind == TYPE_UNION) choose(type, *offset, *member);
        *offset += (*member)->offset;
    }
    if (!*member || (*member)->name == name) {
        advance();
        advance();
    }
    return *member ? (*member)->type : &type_error;
}

/* A step of a designator: which part of which object. */
#define MAX_LEVELS 16
#define MAX_RANGES 4
typedef struct {
    Type *type;
    Member *member;
    i64 base;
    i64 index; /* behind it */
} Level;

static void init_braced(Type *type, i64 offset);

/* Reads a value for which there is no place. */
static void skip_item(void)
{
    Initialiser nowhere, *outer = init;
    memset(&nowhere, 0, sizeof nowhere);
    nowhere.link = &nowhere.first;
    init = &nowhere;
    if (kind_now() == '{') init_braced(array_of(&type_long, -1), 0);
    else parse_assignment();
    init = outer;
}

static void init_braced(Type *type, i64 offset)
{
    i64 next = 0; /* the next element, if it is an array */
    Member *next_member = is_record(type) ? type->record->members : 0;
    u32 position = here();
    advance();
    nest();
    if (!is_record(type) && type->kind != TYPE_ARRAY) {
        if (kind_now() != '}') init_value(type, offset, 0);
        else add_entry(type, offset, 0, constant(0, &type_int, position));
        while (more_items()) {
            advance();
            warning(here(), "this initialiser has more values than there is room for; they are left out");
            skip_item();
        }
    } else if (is_character_array(type) && kind_now() == T_STRING) {
        init_value(type, offset, 0);
    } else {
        while (kind_now() != '}' && kind_now() != T_END && !panic) {
            Member *member = 0;
            i64 place = offset, last = 0, first_index = next;
            Type *item = 0;
            Level path[MAX_LEVELS];
            u32 levels = 0, ranges = 0;
            struct {
                i64 stride, count;
            } range[MAX_RANGES];
            while (next_member && next_member->is_bit_field && !next_member->name) next_member = next_member->next;
            if (kind_now() == T_NAME && kind_after() == ':' && is_record(type)) { /* `name: value`, as before 1999 */
                Name *name = tok()->u.name;
                place = offset;
                member = find_member(type, name, &place);
                if (member && member->name == name && type->kind == TYPE_UNION) choose(type, offset, member);
                advance();
                advance();
                item = member ? member->type : &type_error;
                if (!member) error_about(here(), "there is no member ", name, "");
                for (next_member = type->record->members; next_member; next_member = next_member->next)
                    if (next_member->name == name) break;
            } else if (kind_now() == '.' || kind_now() == '[') {
                i32 outer = 1;
                Type *inside = type;
                levels = 0;
                while ((kind_now() == '.' || kind_now() == '[') && !panic && !is_error(inside)) {
                    i64 more = 0, base = place;
                    item = designated(inside, &place, &member, &more);
                    if (more && ranges < MAX_RANGES) {
                        range[ranges].stride = size_of(item);
                        range[ranges++].count = more + 1;
                    }
                    if (!outer && levels < MAX_LEVELS) {
                        path[levels].type = inside;
                        path[levels].base = base;
                        path[levels].index = inside->kind == TYPE_ARRAY && size_of(inside->base)
                                                 ? (place - base) / size_of(inside->base) + more + 1
                                                 : 0;
                        path[levels++].member = member;
                    }
                    if (outer) {
                        last = more;
                        if (inside->kind == TYPE_ARRAY && size_of(inside->base))
                            first_index = (place - offset) / size_of(inside->base);
                        if (is_record(type)) next_member = member;
                    }
                    outer = 0;
                    inside = item;
                }
                if (!accept('=') && kind_now() != '{' && tokens[at_token - 1].kind != ']' && !panic)
                    expect('=', "a designator is followed by `=`");
            } else if (type->kind == TYPE_ARRAY) {
                item = type->base;
                place += next * size_of(item);
                if (type->count >= 0 && next >= type->count) item = 0;
            } else if (next_member) {
                item = next_member->type;
                member = next_member;
                if (type->kind == TYPE_UNION) choose(type, offset, member);
                place += member->offset;
            }
            if (!item || is_error(item)) {
                if (!item && !init->excess)
                    warning(here(), "this initialiser has more values than there is room for; they are left out");
                init->excess = 1;
                skip_item();
            } else {
                u32 start = at_token;
                i64 i, times = 1;
                u32 k;
                for (k = 0; k < ranges; k++) times *= range[k].count;
                for (i = 0; i < times; i++) { /* the value stands once, for all elements of all ranges */
                    i64 rest = i, element = place;
                    for (k = ranges; k > 0; k--) {
                        element += rest % range[k - 1].count * range[k - 1].stride;
                        rest /= range[k - 1].count;
                    }
                    at_token = start;
                    init_value(item, element, member);
                }
                while (levels > 0 && !panic) { /* it goes on behind what was designated */
                    Level *level = &path[--levels];
                    if (level->type->kind != TYPE_UNION)
                        init_from(level->type, level->base, level->index, level->member ? level->member->next : 0, 0);
                }
            }
            next = first_index + last + 1;
            if (type->kind == TYPE_UNION) next_member = 0;
            else if (next_member) next_member = next_member->next;
            if (!accept(',')) break;
        }
    }
    accept(',');
    expect('}', "an initialiser ends with `}`");
    nesting--;
}

static void init_value(Type *type, i64 offset, Member *member)
{
    Node *node;
    nest();
    if (!init->pending && kind_now() == '{') {
        if (is_record(type) || type->kind == TYPE_ARRAY) forget(offset, size_of(type));
        init_braced(type, offset);
        nesting--;
        return;
    }
    if (is_character_array(type)) {
        u32 position = here();
        Symbol *string = string_of(init->pending);
        if (!init->pending && (kind_now() == T_STRING || (kind_now() == '(' && kind_after() == T_STRING))) {
            node = parse_assignment();
            string = string_of(node);
            if (!string) init->pending = node;
        }
        if (string) {
            init->pending = 0;
            forget(offset, size_of(type));
            init_string(type, offset, string, position);
            nesting--;
            return;
        }
    }
    if (is_record(type) || type->kind == TYPE_ARRAY) {
        if (!init->pending) init->pending = parse_assignment();
        node = init->pending;
        if (is_record(type) && same_type(type, node->type) && !is_error(node->type)) {
            init->pending = 0;
            forget(offset, size_of(type));
            add_entry(type, offset, 0, value_of(node));
        } else if (type->kind == TYPE_ARRAY && node->kind == N_COMPOUND && same_type(type, node->type)) {
            init->pending = 0;
            add_entry(type, offset, 0, node);
        } else {
            init_unbraced(type, offset);
            if (init->pending && !panic) {
                init->pending = 0;
                warning(here(), "this initialiser has more values than there is room for; they are left out");
            }
        }
    } else {
        node = init->pending ? init->pending : parse_assignment();
        init->pending = 0;
        add_entry(type, offset, member, assignable(unqualified(type), node, node->position, "what is initialised"));
    }
    nesting--;
}

/* Reads the initialiser of an object of this type; arrays without a length get one. */
static Entry *parse_initialiser(Type **type, i64 *end)
{
    Initialiser own, *outer = init;
    Entry *first;
    memset(&own, 0, sizeof own);
    own.link = &own.first;
    init = &own;
    if ((*type)->kind == TYPE_ARRAY && kind_now() != '{' && kind_now() != T_STRING && kind_now() != '(') {
        error(here(), "an array is initialised with `{ ... }` or a string");
        parse_assignment();
    } else if (is_error(*type) && kind_now() == '{') {
        skip_bracketed('{', '}');
    } else if (is_record(*type) && kind_now() != '{') {
        Node *node = parse_assignment();
        add_entry(*type, 0, 0, assignable(unqualified(*type), node, node->position, "what is initialised"));
    } else {
        init_value(*type, 0, 0);
    }
    if ((*type)->kind == TYPE_ARRAY && (*type)->count < 0) {
        i64 size = size_of((*type)->base);
        *type = qualified(array_of((*type)->base, size ? (own.end + size - 1) / size : 0), (*type)->qualifiers);
    }
    *end = own.end;
    first = own.first;
    init = outer;
    return first;
}
