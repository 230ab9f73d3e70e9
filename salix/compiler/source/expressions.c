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
    if (kind == ';' &&
        (kind_now() == '}' || (tok()->flags & AT_START))) { /* it is only forgotten: go on as if it were there */
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
static Node *vector_operation(u32 op, Node *a, Node *b, u32 position);
static Node *vector_update(u32 op, Node *left, Node *right, i32 postfix, u32 position);

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

static Node *integer_value(Node *node, const char *what)
{
    node = value_of(node);
    if (is_integer(node->type) || is_error(node->type)) return node;
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

static i32 has_constant(const Type *type);

static i32 may_be_written(const Node *node)
{
    const Node *part = node;
    if (is_error(node->type)) return 0;
    if (!is_lvalue(node) || node->type->kind == TYPE_ARRAY) {
        error(node->position, node->type->kind == TYPE_ARRAY
                                  ? "an array cannot be assigned to; copy its elements, or use memcpy"
                                  : "this cannot be assigned to: it is no variable");
        return 0;
    }
    for (; part->kind == N_MEMBER; part = part->a)
        if (is_const(part->type)) break;
    if (is_const(part->type)) {
        error(node->position, "this is constant and cannot be changed");
        return 0;
    }
    if (has_constant(node->type)) {
        error(node->position, "this has a constant member, and so cannot be changed as a whole");
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
    if (!is_scalar(a->type) || !is_scalar(b->type)) {
        if (is_vector(a->type) || is_vector(b->type)) return vector_operation(op, a, b, position);
        return mismatch(a, b, position);
    }
    if (a->type->kind == TYPE_POINTER || b->type->kind == TYPE_POINTER) {
        if (op == OP_ADD && is_integer(a->type)) {
            Node *swapped = a;
            a = b;
            b = swapped;
        }
        if ((op == OP_ADD || op == OP_SUB) && a->type->kind == TYPE_POINTER && is_integer(b->type))
            return operation(op, a, scaled(b, a->type, position), unqualified(a->type), position);
        if (op == OP_SUB && a->type->kind == TYPE_POINTER && b->type->kind == TYPE_POINTER) {
            i64 size = size_of(a->type->base), first, second;
            Symbol *from, *to;
            if (!same_type(a->type->base, b->type->base)) {
                error(position, "pointers to different types have no difference; cast one of them first");
                return error_node(position);
            }
            Node *bytes = operation(OP_SUB, convert(a, &type_long), convert(b, &type_long), &type_long, position);
            if (address_constant(a, &from, &first) && address_constant(b, &to, &second) && from == to)
                return constant((first - second) / (size ? size : 1), &type_long, position);
            if (size <= 1) return bytes;
            return operation(OP_DIV, bytes, constant(size, &type_long, position), &type_long, position);
        }
        if (op < OP_EQ) return mismatch(a, b, position);
        if (is_integer(a->type) != is_integer(b->type) && !is_null(a) && !is_null(b))
            warning(position, "a pointer is compared with a number");
        else if (a->type->kind == TYPE_POINTER && b->type->kind == TYPE_POINTER &&
                 !same_type(a->type->base, b->type->base) && a->type->base->kind != TYPE_VOID &&
                 b->type->base->kind != TYPE_VOID)
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
            if (!same_type(a->type->base, b->type->base))
                warning(position, "the sides of this ?: point to different types");
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
        return type->kind == TYPE_VOID ? pair(N_CAST, type, chosen, 0) : no_lvalue(chosen);
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
    } else if (is_vector(type)) {
        return vector_update(op, left, right, postfix, position);
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
