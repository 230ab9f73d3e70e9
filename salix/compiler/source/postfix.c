/* What follows an operand, and operands that are more than a name: the middle of `expressions.c` and `operands.c`. */

static Node *parse_generic(u32 position)
{
    Node *control, *chosen = 0, *otherwise = 0, *value;
    Type *before[32]; /* more are not compared */
    u32 count = 0, i;
    expect('(', "_Generic is followed by `(`");
    control = value_of(parse_assignment());
    while (accept(',')) {
        Type *type = 0;
        u32 where = here();
        if (kind_now() == K_FIRST) advance(); /* default */
        else type = parse_type_name();
        if (!type && otherwise) error(where, "a second default");
        for (i = 0; type && i < count; i++)
            if (type->qualifiers == before[i]->qualifiers && same_type(type, before[i]) && !is_error(type)) {
                error(where, "this type stands in the _Generic already");
                break;
            }
        if (type && count < 32) before[count++] = type;
        expect(':', "a type of _Generic is followed by `:`");
        value = parse_assignment();
        if (!type) otherwise = value;
        else if (!chosen && type->qualifiers == 0 && same_type(type, control->type) && !is_error(type)) chosen = value;
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
        Node *block, *last;
        if (!current_function) error(position, "a statement expression stands inside a function");
        block = parse_block();
        last = block->a;
        node = pair(N_STATEMENTS, &type_void, block, 0);
        while (last && (last->next || last->kind == S_LABEL)) last = last->next ? last->next : last->a;
        if (last && last->kind == S_EXPRESSION && last->op == FROM_SOURCE) {
            last->b = value_of(last->a); /* the value: kept apart from statements whose value is dropped */
            node->type = last->b->type;
            node->b = last;
            if (block->b && is_record(node->type))
                error(position, "what gives a struct cannot have variables with cleanup: they are gone by then");
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
        if (object->type->kind == TYPE_POINTER && is_record(object->type->base))
            hint("it is a pointer: write -> instead of .");
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
    node->last_value = member->alignment;
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

static Node *parse_postfix(Node *node);

static Node *parse_size(u32 keyword_position, i32 of_alignment)
{
    Type *type;
    Node *operand = 0;
    if (kind_now() == '(' && starts_type(at_token + 1)) {
        u32 start = here();
        advance();
        type = parse_type_name();
        expect(')', "the type is followed by `)`");
        if (kind_now() == '{') {
            operand = parse_postfix(parse_compound_literal(type, start));
            type = operand->type;
        }
    } else {
        operand = parse_unary();
        type = operand->type;
        if (operand->kind == N_MEMBER && operand->member) error(keyword_position, "a bit-field has no size in bytes");
    }
    if (is_error(type)) return error_node(keyword_position);
    if (of_alignment) {
        i64 alignment = alignment_of(type), asked = 0;
        if (operand && operand->kind == N_SYMBOL) asked = operand->symbol->alignment;
        if (operand && operand->kind == N_MEMBER) asked = operand->last_value;
        return constant(asked > alignment ? asked : alignment, &type_ulong, keyword_position);
    }
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

static Node *elements_of(Node *vector);
static Node *vector_cast(Type *type, Node *node, u32 position);
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
    if (is_record(type) && is_record(node->type) && same_type(type, node->type)) return no_lvalue(node);
    if (type->kind == TYPE_UNION && current_function) { /* to a union: the member of that type is set */
        Member *member;
        for (member = type->record->members; member; member = member->next)
            if (same_type(member->type, node->type)) return union_of(type, member, node);
    }
    if (is_vector(type) || is_vector(node->type)) {
        Node *same_bytes = vector_cast(type, node, position);
        if (same_bytes) return same_bytes;
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
    return no_lvalue(node);
}

static Node *parse_postfix(Node *node)
{
    for (;;) {
        u32 position = here();
        switch (kind_now()) {
        case '[': {
            Node *index, *pointer;
            if (is_vector(node->type)) node = elements_of(node);
            pointer = value_of(node);
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
            node = update(kind_now() == P_INCREMENT ? OP_ADD : OP_SUB, node, constant(1, &type_int, position), 1,
                          position);
            advance();
            break;
        default: return node;
        }
        if (panic) return node;
    }
}
