/* Expressions: tokens to typed nodes. */

static u32 at_token; /* index of the current one */
static u32 nesting;
static Symbol *current_function;
static Type *current_result;

#define MAX_NESTING 160

static Token *tok(void)
{
    return &tokens[at_token];
}

static u32 kind_now(void)
{
    return tokens[at_token].kind;
}

static u32 kind_after(void)
{
    return tokens[at_token].kind == T_END ? T_END : tokens[at_token + 1].kind;
}

static u32 here(void)
{
    return tokens[at_token].position;
}

static void advance(void)
{
    if (tokens[at_token].kind != T_END) at_token++;
}

static i32 accept(u32 kind)
{
    if (kind_now() != kind) return 0;
    advance();
    return 1;
}

/* For messages about what is missing: just behind the last token. */
static u32 behind_last(void)
{
    const char *start;
    Token *last;
    if (at_token == 0) return here();
    last = &tokens[at_token - 1];
    if (last->flags & FROM_MACRO) return here();
    return last->position + spelling(last, &start);
}

static void expect(u32 kind, const char *text)
{
    if (panic) return;
    if (kind_now() == kind) {
        advance();
        return;
    }
    if (kind == ';' && (kind_now() == '}' || (tok()->flags & AT_START))) { /* it is only forgotten: go on as if it were there */
        begin_error(behind_last());
        say(text);
        say("; it is missing here");
        end_message();
        return;
    }
    begin_error(kind == ';' || kind == ')' || kind == '}' ? behind_last() : here());
    say(text);
    say(", but here stands ");
    say_token(tok());
    end_message();
    panic = 1;
}

static void nest(void)
{
    if (++nesting > MAX_NESTING) fatal(here(), "this is nested too deeply; split it up");
}

static Name *name_drop;
static Node *parse_operators(u32 level);
static Node *parse_unary(void);
static i32 starts_type(u32 index);
static Type *parse_type_name(void);
static Node *parse_compound_literal(Type *type, u32 position);
static Node *parse_block(void);
static Type *static_assertion(void);

static Node *parse_expression(void)
{
    return parse_operators(1);
}

static Node *parse_assignment(void)
{
    return parse_operators(2);
}

/* ---- checks ---- */

static void wrong_operand(const Node *node, const char *what)
{
    if (is_error(node->type)) return;
    begin_error(node->position);
    say(what);
    say(", but this is ");
    say_type(node->type);
    end_message();
}

static Node *scalar_value(Node *node, const char *what)
{
    node = value_of(node);
    if (is_scalar(node->type) || is_error(node->type)) return node;
    wrong_operand(node, what);
    return error_node(node->position);
}

static Node *condition_of(Node *node)
{
    if (node->kind == N_ASSIGN && !node->parenthesised)
        warning(node->position, "an assignment as a condition; to compare, write ==, else put it into parentheses");
    return scalar_value(node, "a condition is a number or a pointer");
}

static i32 is_null(const Node *node)
{
    return node->kind == N_CONST && node->value == 0 && (is_integer(node->type) || node->type->base->kind == TYPE_VOID);
}

/* `node` as a value to be stored in `type`; `what` names the place in messages. */
static Node *assignable(Type *type, Node *node, u32 position, const char *what)
{
    node = value_of(node);
    if (is_error(type) || is_error(node->type)) return convert(node, type);
    if (node->type->kind == TYPE_VOID) {
        error(position, "this gives no value: the function returns nothing");
        return error_node(position);
    }
    if (is_record(type) || is_record(node->type)) {
        if (same_type(type, node->type)) return node;
    } else if (type->kind == TYPE_POINTER && node->type->kind == TYPE_POINTER) {
        Type *to = type->base, *from = node->type->base;
        if (!same_type(to, from) && to->kind != TYPE_VOID && from->kind != TYPE_VOID && !is_null(node)) {
            if (!(is_integer(to) && is_integer(from) && size_of(to) == size_of(from)) && begin_warning(position)) {
                say(what);
                say(" is ");
                say_type(type);
                say(", but this is ");
                say_type(node->type);
                end_message();
            }
        } else if ((from->qualifiers & CONST) && !(to->qualifiers & CONST) && !is_null(node) &&
                   begin_warning(position)) {
            say(what);
            say(" may be written through, but this points to something constant");
            end_message();
        }
        return convert(node, type);
    } else if (is_scalar(type) && is_scalar(node->type)) {
        if (is_integer(type) != is_integer(node->type) && type->kind != TYPE_BOOL && !is_null(node) &&
            begin_warning(position)) {
            say(what);
            say(" is ");
            say_type(type);
            say(", but this is ");
            say_type(node->type);
            end_message();
        }
        return convert(node, type);
    }
    begin_error(position);
    say(what);
    say(" is ");
    say_type(type);
    say(", but this is ");
    say_type(node->type);
    end_message();
    return error_node(position);
}

static i32 may_be_written(const Node *node)
{
    const Node *part = node;
    if (is_error(node->type)) return 0;
    if (!is_lvalue(node) || node->type->kind == TYPE_ARRAY) {
        error(node->position, node->type->kind == TYPE_ARRAY ? "an array cannot be assigned to; copy its elements, or use memcpy"
                                                              : "this cannot be assigned to: it is no variable");
        return 0;
    }
    for (; part->kind == N_MEMBER; part = part->a)
        if (is_const(part->type)) break;
    if (is_const(part->type)) {
        error(node->position, "this is constant and cannot be changed");
        return 0;
    }
    return 1;
}

/* ---- operators ---- */

static Node *scaled(Node *index, const Type *pointer, u32 position)
{
    i64 size = size_of(pointer->base);
    index = convert(promote(index), &type_long);
    if (!is_complete(pointer->base) && pointer->base->kind != TYPE_VOID && pointer->base->kind != TYPE_FUNCTION) {
        error(position, "this points to a type that is not complete here: its size is not known");
        return index;
    }
    return operation(OP_MUL, index, constant(size, &type_long, position), &type_long, position);
}

static Node *mismatch(const Node *a, const Node *b, u32 position)
{
    if (is_error(a->type) || is_error(b->type)) return error_node(position);
    begin_error(position);
    say("this operator does not go with ");
    say_type(a->type);
    say(" and ");
    say_type(b->type);
    end_message();
    return error_node(position);
}

static Node *binary(u32 op, Node *a, Node *b, u32 position)
{
    Type *type;
    a = value_of(a);
    b = value_of(b);
    if (is_error(a->type) || is_error(b->type)) return error_node(position);
    if (!is_scalar(a->type) || !is_scalar(b->type)) return mismatch(a, b, position);
    if (a->type->kind == TYPE_POINTER || b->type->kind == TYPE_POINTER) {
        if (op == OP_ADD && is_integer(a->type)) {
            Node *swapped = a;
            a = b;
            b = swapped;
        }
        if ((op == OP_ADD || op == OP_SUB) && a->type->kind == TYPE_POINTER && is_integer(b->type))
            return operation(op, a, scaled(b, a->type, position), unqualified(a->type), position);
        if (op == OP_SUB && a->type->kind == TYPE_POINTER && b->type->kind == TYPE_POINTER) {
            i64 size = size_of(a->type->base);
            Node *bytes = operation(OP_SUB, convert(a, &type_long), convert(b, &type_long), &type_long, position);
            if (size <= 1) return bytes;
            return operation(OP_DIV, bytes, constant(size, &type_long, position), &type_long, position);
        }
        if (op < OP_EQ) return mismatch(a, b, position);
        if (is_integer(a->type) != is_integer(b->type) && !is_null(a) && !is_null(b))
            warning(position, "a pointer is compared with a number");
        else if (a->type->kind == TYPE_POINTER && b->type->kind == TYPE_POINTER && !same_type(a->type->base, b->type->base) &&
                 a->type->base->kind != TYPE_VOID && b->type->base->kind != TYPE_VOID)
            warning(position, "pointers to different types are compared");
        type = a->type->kind == TYPE_POINTER ? a->type : b->type;
        return operation(op, convert(a, unqualified(type)), convert(b, unqualified(type)), &type_int, position);
    }
    a = promote(a);
    b = promote(b);
    if (op == OP_SHL || op == OP_SHR) {
        if (b->kind == N_CONST && (b->value < 0 || b->value >= size_of(a->type) * 8))
            warning(position, "this shifts by more bits than there are");
        return operation(op, a, convert(b, &type_int), a->type, position);
    }
    type = common_type(a->type, b->type);
    a = convert(a, type);
    b = convert(b, type);
    if ((op == OP_DIV || op == OP_MOD) && b->kind == N_CONST && b->value == 0)
        warning(position, "this divides by zero: the result of / is 0 then, and % leaves its left side");
    return operation(op, a, b, op >= OP_EQ ? &type_int : type, position);
}

static Node *logical(u32 kind, Node *a, Node *b)
{
    a = condition_of(a);
    b = condition_of(b);
    if (a->kind == N_CONST && !is_error(a->type)) {
        i32 decides = kind == N_AND_AND ? a->value == 0 : a->value != 0;
        if (decides) return constant(kind == N_OR_OR, &type_int, a->position);
        if (b->kind == N_CONST) return constant(b->value != 0, &type_int, a->position);
    }
    return pair(kind, &type_int, a, b);
}

static Node *conditional_node(Node *condition, Node *a, Node *b, u32 position)
{
    Node *node;
    Type *type;
    i32 omitted = a == 0;
    condition = condition_of(condition);
    if (a) a = value_of(a);
    b = value_of(b);
    if (!a) a = condition;
    if (is_error(a->type) || is_error(b->type)) return error_node(position);
    if (is_integer(a->type) && is_integer(b->type)) {
        a = promote(a);
        b = promote(b);
        type = common_type(a->type, b->type);
        a = convert(a, type);
        b = convert(b, type);
    } else if (a->type->kind == TYPE_VOID || b->type->kind == TYPE_VOID) {
        type = &type_void;
    } else if (is_record(a->type) && same_type(a->type, b->type)) {
        type = a->type;
    } else if (a->type->kind == TYPE_POINTER || b->type->kind == TYPE_POINTER) {
        if (is_null(a)) type = b->type;
        else if (is_null(b)) type = a->type;
        else if (!is_scalar(a->type) || !is_scalar(b->type)) return mismatch(a, b, position);
        else if (is_integer(a->type) || is_integer(b->type)) {
            warning(position, "one side of this ?: is a pointer, the other a number");
            type = is_integer(a->type) ? b->type : a->type;
        } else if (a->type->base->kind == TYPE_VOID) type = a->type;
        else if (b->type->base->kind == TYPE_VOID) type = b->type;
        else {
            type = a->type;
            if (!same_type(a->type->base, b->type->base)) warning(position, "the sides of this ?: point to different types");
            if (b->type->base->qualifiers & ~a->type->base->qualifiers) type = b->type;
        }
        type = unqualified(type);
        a = convert(a, type);
        b = convert(b, type);
    } else {
        return mismatch(a, b, position);
    }
    if (condition->kind == N_CONST && (a->kind == N_CONST || b->kind == N_CONST || is_record(type) == 0)) {
        Node *chosen = condition->value ? a : b;
        return type->kind == TYPE_VOID ? pair(N_CAST, type, chosen, 0) : chosen;
    }
    node = pair(N_CONDITIONAL, type, condition, a);
    node->c = b;
    node->b = omitted ? 0 : a; /* 0: the value of the condition itself, which is not computed again */
    node->position = position;
    return node;
}

static Node *assignment(Node *left, Node *right, u32 position)
{
    Node *node;
    if (!may_be_written(left)) return error_node(position);
    right = assignable(unqualified(left->type), right, right->position, "what is assigned to");
    node = pair(N_ASSIGN, unqualified(left->type), left, right);
    node->position = position;
    return node;
}

/* a op= b; with `postfix` the value is the old one. */
static Node *update(u32 op, Node *left, Node *right, i32 postfix, u32 position)
{
    Node *node;
    Type *type = unqualified(left->type), *computed;
    right = value_of(right);
    if (!may_be_written(left) || is_error(right->type)) return error_node(position);
    if (type->kind == TYPE_POINTER && (op == OP_ADD || op == OP_SUB) && is_integer(right->type)) {
        right = scaled(right, type, position);
        computed = type;
    } else if (is_integer(type) && is_integer(right->type)) {
        Node *as_value = new_node(left->kind, left->type, left->position);
        *as_value = *left;
        computed = promote(as_value)->type;
        right = promote(right);
        if (op == OP_SHL || op == OP_SHR) {
            right = convert(right, &type_int);
        } else {
            computed = common_type(computed, right->type);
            right = convert(right, computed);
        }
    } else {
        return mismatch(left, right, position);
    }
    node = pair(postfix ? N_POSTFIX : N_UPDATE, type, left, right);
    node->op = (u8)op;
    node->computed = computed;
    node->position = position;
    return node;
}

static u32 operator_of(u32 kind)
{
    switch (kind) {
    case '+': case P_ADD_ASSIGN: return OP_ADD;
    case '-': case P_SUB_ASSIGN: return OP_SUB;
    case '*': case P_MUL_ASSIGN: return OP_MUL;
    case '/': case P_DIV_ASSIGN: return OP_DIV;
    case '%': case P_MOD_ASSIGN: return OP_MOD;
    case '&': case P_AND_ASSIGN: return OP_AND;
    case '|': case P_OR_ASSIGN: return OP_OR;
    case '^': case P_XOR_ASSIGN: return OP_XOR;
    case P_SHL: case P_SHL_ASSIGN: return OP_SHL;
    case P_SHR: case P_SHR_ASSIGN: return OP_SHR;
    case P_EQ: return OP_EQ;
    case P_NE: return OP_NE;
    case '<': return OP_LT;
    case P_LE: return OP_LE;
    case '>': return OP_GT;
    default: return OP_GE;
    }
}

static Node *parse_operators(u32 level)
{
    Node *left, *right;
    nest();
    left = parse_unary();
    for (;;) {
        u32 kind = kind_now(), found = level_of(kind), position = here();
        if (found == 0 || found < level || panic) break;
        advance();
        if (found == 1) {
            right = value_of(parse_operators(2));
            if (bit_field_of(right)) right = promote(right);
            left = pair(N_COMMA, right->type, value_of(left), right);
        } else if (kind == '=') {
            left = assignment(left, parse_operators(2), position);
        } else if (found == 2) {
            left = update(operator_of(kind), left, parse_operators(2), 0, position);
        } else if (kind == '?') {
            Node *middle = kind_now() == ':' ? 0 : parse_operators(1);
            expect(':', "the two sides of ? are separated by `:`");
            left = conditional_node(left, middle, parse_operators(3), position);
        } else {
            right = parse_operators(found + 1);
            if (kind == P_AND_AND) left = logical(N_AND_AND, left, right);
            else if (kind == P_OR_OR) left = logical(N_OR_OR, left, right);
            else left = binary(operator_of(kind), left, right, position);
        }
    }
    nesting--;
    return left;
}

/* ---- calls ---- */

/* Functions of other platforms that cannot exist here, whether declared or not. */
static void refuse_unavailable(const Name *name, u32 position)
{
    static const struct {
        char name[20];
        char instead[100];
    } unavailable[] = {
        {"setjmp", "return a code from each function, or use goto inside of one"},
        {"_setjmp", "return a code from each function, or use goto inside of one"},
        {"longjmp", "return a code from each function, or use goto inside of one"},
        {"alloca", "use an array of the greatest length that is needed"},
        {"__builtin_alloca", "use an array of the greatest length that is needed"},
        {"malloc", "use a static array of the greatest length that is needed"},
    };
    u32 i;
    for (i = 0; i < sizeof unavailable / sizeof unavailable[0]; i++)
        if (name->length == strlen(unavailable[i].name) && starts_with(name->text, unavailable[i].name)) {
            error_about(position, "there is no ", name, " here");
            hint(unavailable[i].instead);
        }
}

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
        hint("sf_json_set_string, sf_json_set_number, sf_json_push_string and their like take the value and make no handle");
    else
        hint("keep it in a variable, and sf_drop it afterwards");
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
    if (callee->kind == N_ADDRESS && callee->a->kind == N_SYMBOL) { /* a direct call takes no address */
        node->symbol = callee->a->symbol;
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
    }
    expect(')', "the arguments of a call end with `)`");
    if (!is_error(type) && type->is_prototype && (count < wanted || (count > wanted && !type->is_variadic)) && !panic) {
        begin_error(position);
        if (node->symbol) {
            say_name(node->symbol->name);
        } else {
            say("this function");
        }
        say(" takes ");
        say_number(wanted);
        say(wanted == 1 ? " argument, here it gets " : " arguments, here it gets ");
        say_number(count);
        end_message();
    }
    if (!is_error(type) && type->is_variadic && node->symbol) {
        error_about(position, "", node->symbol->name, " is variadic: it takes any number of arguments, which Loops do not have");
        hint("call it with a fixed number of arguments, or pass an array and its length");
    }
    if (node->symbol && node->symbol->is_extern && node->symbol->position) refuse_unavailable(node->symbol->name, position);
    node->value = count;
    node->computed = type;
    return node;
}

/* ---- names ---- */

static Type *function_type(Type *result, Type *first, Type *second, Type *third)
{
    Type *type = new_type(TYPE_FUNCTION), *types[3];
    Parameter **link = &type->parameters;
    u32 i;
    types[0] = first;
    types[1] = second;
    types[2] = third;
    type->base = result;
    type->is_prototype = 1;
    for (i = 0; i < 3 && types[i]; i++) {
        *link = keep(sizeof(Parameter));
        (*link)->type = types[i];
        link = &(*link)->next;
    }
    return type;
}

/* A function of the supplied library, by its name. 0: there is none. */
static Type *library_function(const Name *name)
{
    Type *bytes = pointer_to(&type_void), *constant_bytes = pointer_to(qualified(&type_void, CONST));
    if (name == intern_text("memcpy") || name == intern_text("memmove"))
        return function_type(bytes, bytes, constant_bytes, &type_ulong);
    if (name == intern_text("memset")) return function_type(bytes, bytes, &type_int, &type_ulong);
    if (name == intern_text("memcmp")) return function_type(&type_int, constant_bytes, constant_bytes, &type_ulong);
    if (name == intern_text("strlen")) return function_type(&type_ulong, pointer_to(qualified(&type_char, CONST)), 0, 0);
    return 0;
}

/* A function of the host or the library, known from here on in the whole program. */
static Symbol *declare_extern(Name *name, Type *type, u32 position)
{
    Symbol *symbol = new_symbol(0, A_FUNCTION, type, position);
    symbol->name = name;
    symbol->depth = 0;
    symbol->is_extern = 1;
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
        {"printf", "write messages with sf_log from \"spinfoam.h\""},
        {"puts", "write messages with sf_log from \"spinfoam.h\""},
    };
    u32 i, best = name->length < 5 ? 2 : 3, found;
    Name *each, *like = 0;
    for (i = 0; i < sizeof known / sizeof known[0]; i++)
        if (name->length == strlen(known[i].name) && starts_with(name->text, known[i].name)) {
            hint(known[i].text);
            return;
        }
    if (name->length > 4 && (starts_with(name->text, "int") || starts_with(name->text, "uint")) && starts_with(name->text + name->length - 2, "_t")) {
        hint("#include <stdint.h> at the top");
        return;
    }
    for (i = 0; i < NAME_BUCKETS; i++)
        for (each = names[i]; each; each = each->next)
            if (each->symbol && each != name && !is_error(each->symbol->type) && (found = distance(name, each)) < best) {
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
        warning_about(position, "the function ", name, " is not declared before it is called");
        suggest(name);
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

static Node *builtin(const Name *name, u32 position, i32 *known)
{
    const char *text = name->text + 10;
    Node *node, *second;
    *known = 1;
    if (name->length > 10 + 7 && starts_with(text, "offsetof")) return parse_offset_of(position);
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
            node = convert(node, &type_long);
            expect(',', "this takes two arguments");
            second = parse_assignment();
            (void)second;
        } else if (starts_with(text, "constant_p")) {
            node = constant(node->kind == N_CONST || (node->kind == N_ADDRESS && node->a->kind == N_SYMBOL && node->a->symbol->is_string), &type_int, position);
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
        if (type) {
            Symbol *symbol = plain->global;
            if (!symbol || symbol->kind != A_FUNCTION) symbol = declare_extern(plain, type, position);
            return symbol_node(symbol, position);
        }
    }
    *known = 0;
    return 0;
}

/* ---- operands ---- */

static Node *parse_generic(u32 position)
{
    Node *control, *chosen = 0, *otherwise = 0, *value;
    expect('(', "_Generic is followed by `(`");
    control = value_of(parse_assignment());
    while (accept(',')) {
        Type *type = 0;
        if (kind_now() == K_FIRST) advance(); /* default */
        else type = parse_type_name();
        expect(':', "a type of _Generic is followed by `:`");
        value = parse_assignment();
        if (!type) otherwise = value;
        else if (!chosen && type->qualifiers == 0 && same_type(type, control->type) &&
                 (type->kind == TYPE_ENUM) + (control->type->kind == TYPE_ENUM) != 1 && !is_error(type))
            chosen = value;
        if (panic) break;
    }
    expect(')', "_Generic ends with `)`");
    if (chosen || otherwise) return chosen ? chosen : otherwise;
    if (!panic && !is_error(control->type)) {
        begin_error(position);
        say("_Generic has no choice for ");
        say_type(control->type);
        say(" and no default");
        end_message();
    }
    return error_node(position);
}

static Node *parse_strings(void)
{
    u32 count = 0, position = here();
    Symbol *symbol;
    while (tokens[at_token + count].kind == T_STRING) count++;
    symbol = string_symbol(tok(), count);
    at_token += count;
    return symbol_node(symbol, position);
}

static Node *parse_parenthesis(void)
{
    Node *node;
    u32 position = here();
    advance();
    if (kind_now() == '{') {
        Node *block = parse_block(), *last = block->a;
        node = pair(N_STATEMENTS, &type_void, block, 0);
        while (last && last->next) last = last->next;
        if (last && last->kind == S_EXPRESSION) {
            last->b = value_of(last->a); /* the value: kept apart from statements whose value is dropped */
            node->type = last->b->type;
            node->b = last;
        }
        expect(')', "a statement expression ends with `})`");
        return node;
    }
    node = parse_expression();
    expect(')', "a parenthesis is not closed: `)` is missing");
    if (node->kind == N_ASSIGN) node->parenthesised = 1;
    if (node->kind == N_CONST) {
        node = constant(node->value, node->type, position);
    }
    return node;
}

static Node *member_of(Node *object, u32 position)
{
    Node *node;
    Member *member;
    Name *name = kind_now() == T_NAME ? tok()->u.name : 0;
    i64 offset = 0;
    u32 where = here();
    if (!name) {
        confused(here(), "the name of a member should stand here");
        return error_node(position);
    }
    advance();
    if (is_error(object->type)) return error_node(position);
    if (!is_record(object->type)) {
        begin_error(where);
        say("this has no member ");
        say_name(name);
        say(": it is ");
        say_type(object->type);
        end_message();
        if (object->type->kind == TYPE_POINTER && is_record(object->type->base)) hint("it is a pointer: write -> instead of .");
        return error_node(position);
    }
    if (!object->type->record->is_complete) {
        error(where, "the members of this type are not known here: it is only declared");
        return error_node(position);
    }
    member = find_member(object->type, name, &offset);
    if (!member) {
        begin_error(where);
        say_type(object->type);
        say(" has no member ");
        say_name(name);
        end_message();
        return error_node(position);
    }
    node = pair(N_MEMBER, qualified(member->type, object->type->qualifiers), object, 0);
    node->position = position;
    node->value = offset;
    if (member->is_bit_field) node->member = member;
    return node;
}

static Node *dereferenced(Node *pointer, u32 position)
{
    pointer = value_of(pointer);
    if (is_error(pointer->type)) return error_node(position);
    if (pointer->type->kind != TYPE_POINTER) {
        wrong_operand(pointer, "only a pointer can be followed");
        return error_node(position);
    }
    if (pointer->type->base->kind == TYPE_FUNCTION && pointer->kind == N_ADDRESS) return pointer->a;
    {
        Node *node = pair(N_DEREF, pointer->type->base, pointer, 0);
        node->position = position;
        return node;
    }
}

static Node *parse_size(u32 keyword_position, i32 of_alignment)
{
    Type *type;
    Node *operand = 0;
    u64 used = scratch_bytes;
    if (kind_now() == '(' && starts_type(at_token + 1)) {
        u32 start = here();
        advance();
        type = parse_type_name();
        expect(')', "the type is followed by `)`");
        if (kind_now() == '{') {
            operand = parse_compound_literal(type, start);
            type = operand->type;
        }
    } else {
        operand = parse_unary();
        type = operand->type;
        if (operand->kind == N_MEMBER && operand->member) error(keyword_position, "a bit-field has no size in bytes");
    }
    (void)used;
    if (is_error(type)) return error_node(keyword_position);
    if (of_alignment) return constant(alignment_of(type), &type_ulong, keyword_position);
    if (!is_complete(type) && type->kind != TYPE_VOID && type->kind != TYPE_FUNCTION) {
        begin_error(keyword_position);
        say("the size of ");
        say_type(type);
        say(" is not known here");
        end_message();
        return error_node(keyword_position);
    }
    return constant(size_of(type), &type_ulong, keyword_position);
}

static Node *union_of(Type *type, Member *member, Node *value);

static Node *parse_cast(u32 position)
{
    Type *type;
    Node *node;
    advance();
    type = parse_type_name();
    expect(')', "the type of a cast is followed by `)`");
    if (kind_now() == '{') return parse_compound_literal(type, position);
    node = value_of(parse_unary());
    if (is_error(node->type) || is_error(type)) return error_node(position);
    type = unqualified(type);
    if (is_record(type) && is_record(node->type) && same_type(type, node->type)) return node;
    if (type->kind == TYPE_UNION && current_function) { /* to a union: the member of that type is set */
        Member *member;
        for (member = type->record->members; member; member = member->next)
            if (same_type(member->type, node->type)) return union_of(type, member, node);
    }
    if (type->kind != TYPE_VOID && (!is_scalar(type) || !is_scalar(node->type))) {
        begin_error(position);
        say_type(node->type);
        say(" cannot be cast to ");
        say_type(type);
        end_message();
        return error_node(position);
    }
    node = convert(node, type);
    if (type->kind == TYPE_POINTER || type->kind == TYPE_ENUM || node->type->kind != type->kind) {
        Node *copy = new_node(node->kind, type, position);
        *copy = *node;
        copy->type = type;
        copy->position = position;
        if (node->kind == N_CONST || node->kind == N_CAST) return copy;
        return pair(N_CAST, type, node, 0);
    }
    return node;
}

static Node *parse_postfix(Node *node)
{
    for (;;) {
        u32 position = here();
        switch (kind_now()) {
        case '[': {
            Node *index, *pointer = value_of(node);
            advance();
            index = value_of(parse_expression());
            expect(']', "an index ends with `]`");
            if (is_integer(pointer->type) && index->type->kind == TYPE_POINTER) {
                Node *swapped = pointer;
                pointer = index;
                index = swapped;
            }
            if (is_error(pointer->type) || is_error(index->type)) {
                node = error_node(position);
            } else if (pointer->type->kind != TYPE_POINTER) {
                wrong_operand(pointer, "only arrays and pointers have elements");
                node = error_node(position);
            } else if (!is_integer(index->type)) {
                wrong_operand(index, "an index is an integer");
                node = error_node(position);
            } else {
                if (node->type->kind == TYPE_ARRAY && node->type->count > 0 && index->kind == N_CONST &&
                    (index->value < 0 || index->value > node->type->count) && begin_warning(index->position)) {
                    say("the index ");
                    say_number(index->value);
                    say(" is outside the array, which has ");
                    say_number(node->type->count);
                    say(" elements");
                    end_message();
                }
                node = dereferenced(binary(OP_ADD, pointer, index, position), position);
            }
            break;
        }
        case '(':
            advance();
            node = call(node, node->position);
            break;
        case '.':
            advance();
            node = member_of(node, position);
            break;
        case P_ARROW: {
            Node *pointer = value_of(node);
            advance();
            if (is_record(pointer->type)) {
                error(position, "this is no pointer: write . instead of ->");
                node = member_of(pointer, position);
            } else {
                node = member_of(dereferenced(pointer, position), position);
            }
            break;
        }
        case P_INCREMENT:
        case P_DECREMENT:
            node = update(kind_now() == P_INCREMENT ? OP_ADD : OP_SUB, node, constant(1, &type_int, position), 1, position);
            advance();
            break;
        default: return node;
        }
        if (panic) return node;
    }
}
