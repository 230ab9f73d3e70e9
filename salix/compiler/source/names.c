/* Calls, and what names mean: variables, functions, what GNU compilers know by themselves, what may have been meant. */

/* ---- calls ---- */

/* A handle that is made in an argument is lost, unless the callee is the program's own or drops it. */
static void check_handle(const Node *callee, const Node *argument)
{
    File *file;
    if (argument->kind != N_CALL || !argument->symbol || !argument->symbol->gives_handle || !callee->symbol) return;
    file = file_of(callee->symbol->position);
    if (!file || !file->supplied || callee->symbol->name == name_drop || !begin_warning(argument->position)) return;
    say("the handle that ");
    say_name(argument->symbol->name);
    say(" gives is lost after this call: ");
    say_name(callee->symbol->name);
    say(" does not drop it");
    end_message();
    if (starts_with(callee->symbol->name->text, "sf_json_"))
        hint(
            "sf_json_set_string, sf_json_set_number, sf_json_push_string and their like take the value and make no handle");
    else
        hint("keep it in a variable, and sf_drop it afterwards");
}

/* A call with more or fewer arguments than parameters: wrong, or doubtful if these were declared as before 1989. */
static void wrong_count(const Node *node, const Type *type, u32 wanted, u32 count)
{
    if (!type->old_count) begin_error(node->position);
    else if (!begin_warning(node->position)) return;
    if (node->symbol) say_name(node->symbol->name);
    else say("this function");
    say(" takes ");
    say_number(wanted);
    say(wanted == 1 ? " argument, here it gets " : " arguments, here it gets ");
    say_number(count);
    end_message();
}

static Node *call(Node *callee, u32 position)
{
    Node *node, *argument, *last = 0;
    Type *type;
    Parameter *parameter;
    u32 count = 0, wanted = 0;
    callee = decay(callee);
    type = callee->type->kind == TYPE_POINTER ? callee->type->base : callee->type;
    if (type->kind != TYPE_FUNCTION) {
        if (!is_error(type)) error(position, "this is called, but it is no function");
        type = &type_error;
    }
    node = new_node(N_CALL, is_error(type) ? type : unqualified(type->base), position);
    if (!is_error(type) && !is_complete(type->base) && type->base->kind != TYPE_VOID)
        error(position, "the size of what this function returns is not known here");
    if (callee->kind == N_ADDRESS && callee->a->kind == N_SYMBOL) { /* a direct call takes no address */
        node->symbol = callee->a->symbol;
        node->c = callee->a->c;
    } else {
        node->a = callee;
    }
    for (parameter = is_error(type) ? 0 : type->parameters; parameter; parameter = parameter->next) wanted++;
    parameter = is_error(type) ? 0 : type->parameters;
    while (kind_now() != ')' && kind_now() != T_END && !panic) {
        argument = value_of(parse_assignment());
        count++;
        check_handle(node, argument);
        if (parameter) {
            argument = assignable(unqualified(parameter->type), argument, argument->position, "the parameter");
            parameter = parameter->next;
        } else {
            argument = promote(argument);
        }
        if (argument->next || argument->kind == N_CONST) { /* nodes may be shared */
            Node *copy = new_node(argument->kind, argument->type, argument->position);
            *copy = *argument;
            copy->next = 0;
            argument = copy;
        }
        if (last) last->next = argument;
        else node->b = argument;
        last = argument;
        if (!accept(',')) break;
        if (kind_now() == ')') confused(here(), "an argument is missing behind the `,`");
    }
    expect(')', "the arguments of a call end with `)`");
    if (!is_error(type) && type->is_prototype && (count < wanted || (count > wanted && !type->is_variadic)) && !panic)
        wrong_count(node, type, wanted, count);
    if (node->symbol && node->symbol->is_extern && node->symbol->position)
        refuse_unavailable(node->symbol->name, position);
    node->value = count;
    node->computed = type;
    if (node->symbol && !is_error(type) && type->is_variadic) check_variadic_call(node);
    if (node->symbol) note_call(node->symbol, position);
    return node;
}

/* ---- names ---- */

/* A function of the host or the library, known from here on in the whole program. */
static Symbol *declare_extern(Name *name, Type *type, u32 position)
{
    Symbol *symbol = new_symbol(0, A_FUNCTION, type, position);
    symbol->name = name;
    symbol->depth = 0;
    symbol->is_extern = 1;
    symbol->is_implicit = 1;
    name->global = symbol;
    if (!name->symbol) name->symbol = symbol;
    return symbol;
}

/* How many letters have to be changed, left out or put in to make one of the other; at most 3 is told exactly. */
static u32 distance(const Name *a, const Name *b)
{
    u32 row[48], i, k, diagonal, above;
    if (a->length > 40 || b->length > 40 || a->length + 2 < b->length || b->length + 2 < a->length) return 9;
    for (k = 0; k <= b->length; k++) row[k] = k;
    for (i = 1; i <= a->length; i++) {
        diagonal = row[0];
        row[0] = i;
        for (k = 1; k <= b->length; k++) {
            u32 best = diagonal + (a->text[i - 1] != b->text[k - 1]);
            above = row[k];
            if (above + 1 < best) best = above + 1;
            if (row[k - 1] + 1 < best) best = row[k - 1] + 1;
            diagonal = above;
            row[k] = best;
        }
    }
    return row[b->length];
}

/* Whether it is u8, i16, s32, u64 or the like, which many programs have of their own. */
static i32 is_short_integer(const Name *name)
{
    const char *bits = name->text + 1;
    if (name->text[0] != 'u' && name->text[0] != 'i' && name->text[0] != 's') return 0;
    if (name->length == 2) return *bits == '8';
    return name->length == 3 && (starts_with(bits, "16") || starts_with(bits, "32") || starts_with(bits, "64"));
}

/* Says which name may have been meant, if one is like it, or where to find what others miss often. */
static void suggest(const Name *name)
{
    static const struct {
        char name[12];
        char text[80];
    } known[] = {
        {"NULL", "#include <stddef.h> at the top, or write 0 for a null pointer"},
        {"size_t", "#include <stddef.h> at the top"},
        {"bool", "#include <stdbool.h> at the top, or write _Bool"},
        {"true", "#include <stdbool.h> at the top, or write 1"},
        {"false", "#include <stdbool.h> at the top, or write 0"},
        {"string", "texts are arrays of char that end with a 0: char name[32] or const char *"},
    };
    u32 i, best = name->length < 5 ? 2 : 3, found;
    Name *each, *like = 0;
    for (i = 0; i < sizeof known / sizeof known[0]; i++)
        if (name->length == strlen(known[i].name) && starts_with(name->text, known[i].name)) {
            hint(known[i].text);
            return;
        }
    if (name->length >= 7 && starts_with(name->text + name->length - 7, "va_list")) {
        hint("give the function a fixed number of parameters, or an array and its length");
        return;
    }
    if (name->length > 4 && (starts_with(name->text, "int") || starts_with(name->text, "uint")) &&
        starts_with(name->text + name->length - 2, "_t")) {
        hint("#include <stdint.h> at the top");
        return;
    }
    if (is_short_integer(name)) {
        hint("#include <stdint.h> at the top, and write int64_t, uint8_t and the like");
        return;
    }
    for (i = 0; i < NAME_BUCKETS; i++)
        for (each = names[i]; each; each = each->next)
            if (each->symbol && each != name && !is_error(each->symbol->type) &&
                (found = distance(name, each)) < best) {
                best = found;
                like = each;
            }
    if (like) {
        say("    hint: did you mean ");
        say_name(like);
        say("?\n");
    }
}

static Node *undeclared(Name *name, u32 position)
{
    Type *type;
    Symbol *symbol;
    if (kind_now() != '(') {
        if (!panic) {
            error_about(position, "", name, " is not declared");
            suggest(name);
        }
        symbol = new_symbol(name, A_VARIABLE, &type_error, 0); /* said once is enough */
        symbol->is_static = 1;
        symbol->is_used = 1;
        return error_node(position);
    }
    type = library_function(name);
    if (!type) {
        type = new_type(TYPE_FUNCTION);
        type->base = &type_int;
        if (!host_function(name->text, name->length)) {
            warning_about(position, "the function ", name, " is not declared before it is called");
            suggest(name);
        }
    }
    return symbol_node(declare_extern(name, type, position), position);
}

static Node *builtin(const Name *name, u32 position, i32 *known);

static Node *parse_name(void)
{
    Name *name = tok()->u.name;
    u32 position = here();
    Symbol *symbol = name->symbol;
    i32 known = 0;
    advance();
    if (!symbol) {
        if (current_function && (name == intern_text("__func__") || name == intern_text("__FUNCTION__") ||
                                 name == intern_text("__PRETTY_FUNCTION__"))) {
            Token token;
            Symbol *text;
            char *quoted = keep((u64)current_function->name->length + 3);
            quoted[0] = '"';
            memcpy(quoted + 1, current_function->name->text, current_function->name->length);
            quoted[current_function->name->length + 1] = '"';
            memset(&token, 0, sizeof token);
            token.kind = T_STRING;
            token.u.spelling = quoted;
            text = string_symbol(&token, 1);
            return symbol_node(text, position);
        }
        if (starts_with(name->text, "__builtin_")) {
            Node *node = builtin(name, position, &known);
            if (known) return node;
        }
        return undeclared(name, position);
    }
    if (symbol->kind == A_CONSTANT) return constant(symbol->value, symbol->type, position);
    if (symbol->kind == A_TYPEDEF) {
        confused(position, "a type stands here, where a value should");
        return error_node(position);
    }
    if (is_error(symbol->type)) return error_node(position);
    if (symbol->depth && within) {
        if (symbol->kind == A_FUNCTION) return nested_node(symbol, position);
        if (symbol->is_local && symbol->depth <= within->depth) return captured_node(symbol, position);
    }
    return symbol_node(symbol, position);
}

static i64 constant_expression(const char *what);

/* offsetof(type, member.path[index]) */
static Node *parse_offset_of(u32 position)
{
    Type *type;
    i64 offset = 0;
    expect('(', "offsetof is followed by `(`");
    type = parse_type_name();
    expect(',', "offsetof takes a type and a member");
    for (;;) {
        Member *member;
        if (kind_now() == '[') {
            advance();
            if (type->kind != TYPE_ARRAY) break;
            type = type->base;
            offset += constant_expression("an index in offsetof") * size_of(type);
            expect(']', "an index ends with `]`");
        } else {
            if (kind_now() != T_NAME || !is_record(type)) break;
            member = find_member(type, tok()->u.name, &offset);
            if (!member) {
                error_about(here(), "there is no member ", tok()->u.name, "");
                member = type->record->members;
                if (!member) break;
            }
            type = member->type;
            advance();
        }
        if (kind_now() == '.') advance();
        else if (kind_now() != '[') break;
    }
    expect(')', "offsetof ends with `)`");
    return constant(offset, &type_ulong, position);
}

static Node *vector_builtin(const char *name, u32 position);

static Node *builtin(const Name *name, u32 position, i32 *known)
{
    const char *text = name->text + 10;
    Node *node, *second;
    *known = 1;
    if (name->length > 10 + 7 && starts_with(text, "offsetof")) return parse_offset_of(position);
    if (starts_with(text, "shuffle") || starts_with(text, "convertvector")) return vector_builtin(text, position);
    if (starts_with(text, "types_compatible_p")) {
        Type *type;
        expect('(', "this is followed by `(`");
        type = parse_type_name();
        expect(',', "two types are separated by a comma");
        node = constant(same_type(type, parse_type_name()), &type_int, position);
        expect(')', "this ends with `)`");
        return node;
    }
    if (starts_with(text, "expect") || starts_with(text, "constant_p") || starts_with(text, "choose_expr") ||
        starts_with(text, "unreachable") || starts_with(text, "trap") || starts_with(text, "abort") ||
        starts_with(text, "bswap")) {
        expect('(', "this is followed by `(`");
        if (text[0] == 't' || text[0] == 'u' || text[0] == 'a') {
            expect(')', "this takes no arguments");
            node = new_node(N_BUILTIN, &type_void, position);
            node->op = BUILTIN_TRAP;
            return node;
        }
        node = value_of(parse_assignment());
        if (text[0] == 'e') {
            expect(',', "this takes two arguments");
            second = parse_assignment();
            while (accept(',')) parse_assignment(); /* a probability */
            node = convert(node, &type_long);
            if (second->kind != N_CONST) node = pair(N_COMMA, &type_long, value_of(second), node);
        } else if (starts_with(text, "constant_p")) {
            node = constant(node->kind == N_CONST ||
                                (node->kind == N_ADDRESS && node->a->kind == N_SYMBOL && node->a->symbol->is_string),
                            &type_int, position);
        } else if (starts_with(text, "choose")) {
            i32 first = node->value != 0;
            expect(',', "this takes three arguments");
            node = parse_assignment();
            expect(',', "this takes three arguments");
            second = parse_assignment();
            if (!first) node = second;
        } else {
            Type *type = text[5] == '1' ? &type_ushort : text[5] == '3' ? &type_uint : &type_ulong;
            node = pair(N_BUILTIN, type, convert(node, type), 0);
            node->op = BUILTIN_BSWAP;
        }
        expect(')', "this ends with `)`");
        return node;
    }
    {
        Name *plain = intern(text, name->length - 10);
        Type *type = library_function(plain);
        if (!type && host_function(plain->text, plain->length)) {
            type = new_type(TYPE_FUNCTION);
            type->base = &type_int;
        }
        if (type) {
            Symbol *symbol = plain->global;
            if (!symbol || symbol->kind != A_FUNCTION) symbol = declare_extern(plain, type, position);
            return symbol_node(symbol, position);
        }
    }
    *known = 0;
    return 0;
}
