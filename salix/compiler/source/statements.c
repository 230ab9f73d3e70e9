/* Statements, and the program as a whole. */

static Node *statement_node(u32 kind, u32 position)
{
    return new_node(kind, &type_void, position);
}

static i32 starts_declaration(void)
{
    if (kind_now() == T_NAME && kind_after() == T_NAME) return 1; /* else an error: that of an unknown type says more */
    return starts_type(at_token) && !(kind_now() == T_NAME && kind_after() == ':');
}

/* asm with an empty text: it says only which variables are to be taken for changed, and may move values. */
static Node *parse_asm(u32 position)
{
    Node *outputs[8], *first = 0, **link = &first;
    u32 count = 0, part = 0, tied = 0, i;
    const char *text;
    while (kind_now() == K_VOLATILE || kind_now() == K_INLINE || kind_now() == K_GOTO) advance();
    if (kind_now() == '(' && kind_after() == T_STRING && spelling(&tokens[at_token + 1], &text) == 2) {
        advance();
        advance();
        while (!panic && kind_now() != ')' && kind_now() != T_END) {
            if (accept(':')) {
                part++;
                continue;
            }
            if (kind_now() == '[') {
                while (kind_now() != ']' && kind_now() != T_END) advance();
                advance();
            }
            if (part == 4 && kind_now() == T_NAME) { /* a label, to which an empty text never goes */
                label_of(tok()->u.name, here())->is_used = 1;
                advance();
                accept(',');
                continue;
            }
            if (kind_now() != T_STRING) break;
            text = tok()->u.spelling + 1;
            advance();
            if (accept('(')) {
                Node *value = parse_expression();
                expect(')', "an operand of asm ends with `)`");
                if (part == 1 && count < 8) {
                    outputs[count++] = value;
                    if (value->kind == N_SYMBOL) value->symbol->is_used = 1;
                } else if (part == 2 && is_digit(*text) && (u32)(*text - '0') < count) {
                    *link = pair(S_EXPRESSION, &type_void, assignment(outputs[*text - '0'], value, position), 0);
                    link = &(*link)->next;
                    tied |= 1u << (*text - '0');
                } else if (part == 2) {
                    *link = pair(S_EXPRESSION, &type_void, value_of(value), 0);
                    link = &(*link)->next;
                }
            }
            accept(',');
        }
        expect(')', "asm ends with `)`");
        for (i = 0; i < count; i++) /* where an output lies is computed, too */
            if (!(tied & 1u << i) && outputs[i]->kind == N_DEREF) {
                *link = pair(S_EXPRESSION, &type_void, outputs[i]->a, 0);
                link = &(*link)->next;
            }
    } else {
        error(position, "there is no inline assembly: a Loop is checked C only");
        hint("write it in C; for time, events and calls there are the functions of \"spinfoam.h\"");
        if (kind_now() == '(') skip_bracketed('(', ')');
    }
    {
        Node *node = statement_node(S_BLOCK, position);
        node->a = first;
        return node;
    }
}

static Node *parse_block(void)
{
    Node *node = statement_node(S_BLOCK, here()), **link = &node->a, *outer = cleanups;
    expect('{', "a block starts with `{`");
    if (panic) return node;
    open_scope(node->position);
    while (kind_now() != '}' && kind_now() != T_END) {
        if (kind_now() == K_STATIC_ASSERT || starts_declaration())
            *link = parse_declaration(IN_BLOCK);
        else
            *link = parse_statement();
        while (*link) link = &(*link)->next;
        if (panic) find_way();
    }
    close_scope();
    forget_labels();
    node->b = calls_until(cleanups, outer);
    cleanups = outer;
    node->value = here();
    expect('}', "a block is not closed: `}` is missing");
    return node;
}

static Node *parse_condition(void)
{
    Node *node;
    expect('(', "a condition stands in parentheses");
    node = condition_of(parse_expression());
    expect(')', "a condition ends with `)`");
    return node;
}

static Node *parse_body(void)
{
    Node *node, *outer_loop = loop_cleanups, *outer_break = break_cleanups;
    loop_depth++;
    break_depth++;
    loop_cleanups = break_cleanups = cleanups;
    node = parse_statement();
    loop_cleanups = outer_loop;
    break_cleanups = outer_break;
    loop_depth--;
    break_depth--;
    return node;
}

static Node *value_statement(void)
{
    Node *value = parse_expression(), *node;
    node = pair(S_EXPRESSION, &type_void, value, 0);
    node->op = FROM_SOURCE;
    if (value->kind == N_CALL && value->symbol && value->symbol->gives_handle) {
        if (begin_warning(value->position)) {
            say("the handle that ");
            say_name(value->symbol->name);
            say(" gives is lost, but stays alive; 128 are all there are");
            end_message();
            hint("keep it in a variable, and sf_drop it when it is no longer needed");
        }
    }
    if (value->kind == N_BINARY && value->op == OP_EQ)
        warning(value->position, "this compares, and drops the result; to assign, write =");
    return node;
}


static Node *parse_for(u32 position)
{
    Node *node = statement_node(S_LOOP, position), *outer = cleanups;
    expect('(', "`for` is followed by `(`");
    open_scope(position);
    if (starts_declaration()) {
        node->a = parse_declaration(IN_FOR);
    } else {
        if (kind_now() != ';') node->a = value_statement();
        expect(';', "the parts of a `for` are separated by `;`");
    }
    if (kind_now() != ';') node->b = condition_of(parse_expression());
    expect(';', "the parts of a `for` are separated by `;`");
    if (kind_now() != ')') node->c = value_statement();
    expect(')', "the parts of a `for` end with `)`");
    node->d = parse_body();
    close_scope();
    node->next = calls_until(cleanups, outer);
    if (node->next) node = pair(S_BLOCK, &type_void, node, 0);
    cleanups = outer;
    return node;
}

static void add_case(Node *node, i32 is_default)
{
    Node *other;
    if (!current_switch) {
        error(node->position, "`case` and `default` stand inside a switch");
        return;
    }
    if (is_default) {
        if (current_switch->c) error(node->position, "a second default");
        current_switch->c = node;
        return;
    }
    for (other = current_switch->b->b; other; other = other->b)
        if (node->value <= other->last_value && other->value <= node->last_value) {
            error(node->position, "this case stands in the switch already");
            break;
        }
    node->b = current_switch->b->b;
    current_switch->b->b = node;
}

/* `case` and `default`, several in a row, and the statement behind them. */
static Node *parse_cases(void)
{
    Node *first = 0, **link = &first, *node;
    while (kind_now() == K_CASE || kind_now() == K_DEFAULT) {
        i32 is_default = kind_now() == K_DEFAULT;
        node = statement_node(S_CASE, here());
        advance();
        if (!is_default) {
            Type *type = current_switch ? current_switch->computed : &type_int;
            node->value = fit(constant_expression("a case"), type);
            node->last_value = node->value;
            if (accept(P_ELLIPSIS)) node->last_value = fit(constant_expression("a case"), type);
        }
        expect(':', "a case ends with `:`");
        add_case(node, is_default);
        *link = node;
        link = &node->a;
        if (panic) return first;
    }
    if (kind_now() != '}') *link = starts_declaration() ? parse_declaration(IN_BLOCK) : parse_statement();
    return first;
}

static Node *parse_if(void)
{
    Node *first = 0, **link = &first, *node;
    while (kind_now() == K_IF) { /* one `else if` after the other */
        node = statement_node(S_IF, here());
        advance();
        node->b = parse_condition();
        node->c = parse_statement();
        *link = node;
        link = &node->d;
        if (panic || !accept(K_ELSE)) return first;
    }
    *link = parse_statement();
    return first;
}

static Node *parse_return(u32 position)
{
    Node *node = statement_node(S_RETURN, position);
    if (kind_now() != ';') {
        node->a = parse_expression();
        if (current_result->kind == TYPE_VOID) {
            if (node->a->type->kind != TYPE_VOID && !is_error(node->a->type))
                warning(node->a->position, "this function returns nothing; the value is dropped");
        } else {
            node->a = assignable(current_result, node->a, node->a->position, "what this function returns");
        }
    } else if (current_result->kind != TYPE_VOID) {
        warning(position, "this function has to return a value");
    }
    return leaving(node, 0);
}

static Node *parse_statement(void)
{
    u32 position = here(), kind = kind_now();
    Node *node;
    if (panic) return statement_node(S_BLOCK, position);
    nest();
    while (kind == K_ATTRIBUTE) {
        Specifiers ignored;
        parse_attributes(&ignored);
        kind = kind_now();
    }
    if (kind == '{') {
        node = parse_block();
        nesting--;
        return node;
    }
    if (kind == K_IF || kind == K_CASE || kind == K_DEFAULT) {
        node = kind == K_IF ? parse_if() : parse_cases();
        nesting--;
        return node;
    }
    if (kind == T_NAME && kind_after() == ':') {
        node = statement_node(S_LABEL, position);
        node->label = own_label(tok()->u.name, position);
        if (node->label->is_defined) error_about(position, "a second label ", tok()->u.name, "");
        node->label->is_defined = 1;
        node->label->position = position;
        node->label->cleanups = cleanups;
        advance();
        advance();
        while (kind_now() == K_ATTRIBUTE) {
            Specifiers ignored;
            parse_attributes(&ignored);
        }
        if (kind_now() != '}') {
            if (starts_declaration()) node->a = parse_declaration(IN_BLOCK);
            else node->a = parse_statement();
        }
        nesting--;
        return node;
    }
    if (kind >= K_FIRST && kind < K_TYPES && kind != K_SIZEOF && kind != K_ALIGNOF && kind != K_GENERIC &&
        kind != K_EXTENSION)
        advance();
    switch (kind) {
    case ';':
        advance();
        nesting--;
        return statement_node(S_BLOCK, position);
    case K_WHILE:
        node = statement_node(S_LOOP, position);
        node->b = parse_condition();
        node->d = parse_body();
        nesting--;
        return node;
    case K_FOR:
        node = parse_for(position);
        nesting--;
        return node;
    case K_SWITCH: {
        Node *outer = current_switch, *outer_cleanups;
        node = statement_node(S_SWITCH, position);
        expect('(', "`switch` is followed by `(`");
        node->a = integer_value(parse_expression(), "a switch takes an integer");
        expect(')', "the value of a switch ends with `)`");
        node->a = promote(node->a);
        node->computed = node->a->type;
        node->b = statement_node(S_BLOCK, position); /* its b: the list of cases */
        current_switch = node;
        break_depth++;
        outer_cleanups = break_cleanups;
        break_cleanups = cleanups;
        node->d = parse_statement();
        break_cleanups = outer_cleanups;
        break_depth--;
        current_switch = outer;
        nesting--;
        return node;
    }
    case K_DO:
        node = statement_node(S_LOOP, position);
        node->op = 1;
        node->d = parse_body();
        if (!accept(K_WHILE)) confused(here(), "`do` ends with `while (condition);`");
        node->b = parse_condition();
        break;
    case K_LABEL:
        declare_labels();
        node = statement_node(S_BLOCK, position);
        break;
    case K_BREAK:
        node = statement_node(S_BREAK, position);
        if (!break_depth) error(position, "`break` stands inside a loop or a switch");
        node = leaving(node, break_cleanups);
        break;
    case K_CONTINUE:
        node = statement_node(S_CONTINUE, position);
        if (!loop_depth) error(position, "`continue` stands inside a loop");
        node = leaving(node, loop_cleanups);
        break;
    case K_RETURN: node = parse_return(position); break;
    case K_GOTO:
        node = statement_node(S_GOTO, position);
        if (accept('*')) {
            node->a = convert(scalar_value(parse_expression(), "goto * takes the address of a label"), &type_long);
        } else if (kind_now() != T_NAME) {
            confused(here(), "`goto` needs a label");
        } else {
            node->label = label_of(tok()->u.name, here());
            node->label->is_used = 1;
            node->d = cleanups;
            if (node->label->nest != within) node->b = way_out(node->label, here());
            advance();
        }
        break;
    case K_ASM:
        node = parse_asm(position);
        break;
    case K_ELSE:
        confused(position, "`else` without an `if`; is there a `;` or a `}` too many before it?");
        node = statement_node(S_BLOCK, position);
        break;
    default: node = value_statement();
    }
    expect(';', "a statement ends with `;`");
    nesting--;
    return node;
}

static void parse_program(void)
{
    while (kind_now() != T_END) {
        if (accept(';')) continue;
        if (kind_now() == K_ASM) {
            u32 position = here();
            advance();
            parse_asm(position);
            expect(';', "asm ends with `;`");
            continue;
        }
        if (kind_now() == '}') {
            error(here(), "a `}` too many");
            advance();
            continue;
        }
        parse_declaration(OUTSIDE);
        if (panic) {
            find_way();
            while (kind_now() == '}') advance();
        }
        nesting = 0;
    }
}
