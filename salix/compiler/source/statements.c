/* Declarations and statements. A function is lowered as soon as its body has been read. */

static u32 pointer_count;

static void lower_function(Symbol *symbol, Node *body);
static Node *parse_statement(void);
static Node *statement_node(u32 kind, u32 position);

/* The number that stands for a pointer to this function. */
static u32 pointer_number(Symbol *symbol)
{
    if (!symbol->pointer_number) symbol->pointer_number = ++pointer_count;
    symbol->is_used = 1;
    put_in_object(symbol);
    return symbol->pointer_number;
}

/* ---- declarations ---- */

static void apply_specifiers(Symbol *symbol, const Specifiers *specifiers)
{
    if (specifiers->alignment > symbol->alignment) symbol->alignment = specifiers->alignment;
    if (specifiers->section) {
        symbol->section_name = specifiers->section;
        symbol->section_name_length = specifiers->section_length;
    }
    if (specifiers->is_inline > symbol->is_inline) symbol->is_inline = specifiers->is_inline;
    symbol->is_noreturn |= specifiers->is_noreturn;
    symbol->is_weak |= specifiers->is_weak;
}

/* A name of the file's scope, or a function or extern variable declared in a block: merged with what is there. */
static Symbol *declare_global(const Declarator *declarator, const Specifiers *specifiers, u32 kind)
{
    Symbol *symbol = declarator->name->global;
    if (symbol && (symbol->kind != kind || !same_type(symbol->type, declarator->type))) {
        if (symbol->kind == A_FUNCTION && kind == A_FUNCTION && symbol->is_extern &&
            (!symbol->type->is_prototype || symbol->is_implicit) && symbol->position) {
            symbol->type = declarator->type; /* it was called before, undeclared */
        } else {
            error_about(declarator->position, "", declarator->name, " is declared already, as something else");
            if (symbol->position && begin_warning(symbol->position)) {
                say("here is the other declaration");
                end_message();
            }
            return symbol;
        }
    }
    check_linkage(symbol, declarator, specifiers->storage);
    if (!symbol) {
        symbol = new_symbol(0, kind, declarator->type, declarator->position);
        symbol->name = declarator->name;
        symbol->depth = 0;
        symbol->is_extern = 1;
        symbol->is_static = specifiers->storage == K_STATIC;
        symbol->name->global = symbol;
    } else if (kind == A_FUNCTION && declarator->type->is_prototype) {
        if (!symbol->is_defined) symbol->type = declarator->type;
    } else if (symbol->type->kind == TYPE_ARRAY && symbol->type->count < 0) {
        symbol->type = declarator->type;
    }
    apply_specifiers(symbol, specifiers);
    if (kind == A_FUNCTION && specifiers->is_handle && declarator->type->base == specifiers->type) symbol->gives_handle = 1;
    if (declarator->name->symbol != symbol) bind(declarator->name, symbol);
    symbol->is_implicit = 0;
    if (specifiers->alias) note_alias(symbol, specifiers->alias);
    return symbol;
}

static void define_global_variable(Declarator *declarator, const Specifiers *specifiers)
{
    Symbol *symbol = declare_global(declarator, specifiers, A_VARIABLE);
    if (symbol->kind != A_VARIABLE) {
        if (accept('=')) skip_item();
        return;
    }
    if (kind_now() == '=') {
        if (scope_depth) error(here(), "what is declared with extern in a block cannot be initialised there");
        advance();
        if (symbol->is_defined && symbol->data) error_about(declarator->position, "a second definition of ", declarator->name, "");
        symbol->is_extern = 0;
        symbol->is_defined = 1;
        initialise_static(symbol);
    } else if (specifiers->storage != K_EXTERN) {
        if (!symbol->is_defined) choose_section(symbol);
        symbol->is_extern = 0;
        symbol->is_defined = 1;
    }
    if (symbol->type->kind == TYPE_VOID && !symbol->is_extern) {
        error_about(declarator->position, "", declarator->name, " cannot be void");
        symbol->type = &type_int;
    }
    if (symbol->is_defined && !symbol->is_static) put_in_object(symbol);
}

static void check_local(Declarator *declarator, const Specifiers *specifiers)
{
    Symbol *other = declarator->name->symbol;
    u32 depth = scope_depth;
    if (other && other->depth == depth - 1 && depth == within->depth + 2) depth--; /* parameters are of the outermost block, too */
    if (other && other->depth == depth && !(specifiers->storage == K_TYPEDEF && other->kind == A_TYPEDEF)) {
        error_about(declarator->position, "", declarator->name, " is declared already in this block");
    }
}

/* A variable of a block. Statements that set it up, or 0. */
static Node *define_local_variable(Declarator *declarator, const Specifiers *specifiers)
{
    Symbol *symbol;
    Node *setup = 0;
    check_local(declarator, specifiers);
    symbol = new_symbol(declarator->name, A_VARIABLE, declarator->type, declarator->position);
    symbol->is_defined = 1;
    apply_specifiers(symbol, specifiers);
    if (specifiers->storage == K_STATIC) {
        symbol->is_static = 1;
        choose_section(symbol);
        if (accept('=')) initialise_static(symbol);
    } else {
        symbol->is_local = 1;
        symbol->is_register = specifiers->storage == K_REGISTER;
        if (accept('=')) setup = initialise_local(symbol, declarator->position);
    }
    if (!is_complete(symbol->type) && !is_error(symbol->type)) {
        begin_error(declarator->position);
        say("a variable cannot be ");
        say_type(symbol->type);
        say(": its size is not known");
        end_message();
        symbol->type = &type_int;
    }
    if (specifiers->cleanup && symbol->is_local && !is_error(symbol->type))
        add_cleanup(symbol, specifiers->cleanup, declarator->position);
    else
        symbol->is_used = 0;
    return setup;
}

/* The lengths of parameters that are arrays, where computing them changes something (C11 6.9.1p10); or 0. */
static Node *parse_lengths(const Type *type)
{
    u32 start = at_token;
    Parameter *parameter;
    Node *block = 0, **link = 0;
    for (parameter = type->parameters; parameter; parameter = parameter->next) {
        if (!parameter->length) continue;
        if (!block) {
            block = statement_node(S_BLOCK, here());
            link = &block->a;
        }
        at_token = parameter->length;
        while (kind_now() == K_STATIC || (kind_now() >= K_CONST && kind_now() <= K_RESTRICT)) advance();
        *link = pair(S_EXPRESSION, &type_void, parse_assignment(), 0);
        link = &(*link)->next;
    }
    at_token = start;
    return block;
}

/* A function of a block, which is defined here or, with `auto`, below. */
static Symbol *declare_nested(const Declarator *declarator, const Specifiers *specifiers)
{
    Symbol *symbol = declarator->name->symbol;
    if (symbol && symbol->depth == scope_depth && (!is_nested(symbol) || !same_type(symbol->type, declarator->type)))
        error_about(declarator->position, "", declarator->name, " is declared already in this block");
    if (!symbol || symbol->depth != scope_depth || !is_nested(symbol)) {
        symbol = new_symbol(declarator->name, A_FUNCTION, declarator->type, declarator->position);
        symbol->is_static = symbol->needs_chain = 1;
        put_in_object(symbol); /* so that it is missed if it is not defined */
    }
    apply_specifiers(symbol, specifiers);
    return symbol;
}

static void define_function(Declarator *declarator, const Specifiers *specifiers)
{
    Nest own;
    Symbol *symbol, *parameter_symbol;
    Parameter *parameter;
    Node *body, *lengths;
    u64 used = scratch_bytes;
    Type *type = declarator->type;
    if (type->old_count) { /* K&R: the types follow */
        while (starts_type(at_token)) {
            Specifiers own;
            Declarator each;
            parse_specifiers(&own);
            do {
                parse_declarator(own.type, &each);
                if (each.type->kind == TYPE_ARRAY) each.type = pointer_to(each.type->base);
                if (each.type->kind == TYPE_FUNCTION) each.type = pointer_to(each.type);
                for (parameter = type->parameters; parameter && parameter->name != each.name;) parameter = parameter->next;
                if (parameter) parameter->type = each.type;
                else error_about(each.position, "", each.name, " is none of the parameters");
            } while (accept(','));
            expect(';', "the type of a parameter ends with `;`");
        }
        type->is_prototype = 1;
        for (parameter = type->parameters; parameter; parameter = parameter->next) {
            parameter->declared = parameter->type;
            parameter->type = promoted(parameter->type);
        }
    }
    if (type->is_variadic) {
        error_about(declarator->position, "", declarator->name, " is variadic: it takes any number of arguments, which Loops do not have");
        hint("give it a fixed number of parameters, or an array and its length");
    }
    symbol = within ? declare_nested(declarator, specifiers) : declare_global(declarator, specifiers, A_FUNCTION);
    if (symbol->is_defined) error_about(declarator->position, "a second definition of ", declarator->name, "");
    symbol->is_defined = 1;
    symbol->is_extern = 0;
    symbol->type = type;
    if (specifiers->storage == K_STATIC) symbol->is_static = 1;
    if (specifiers->is_inline && specifiers->storage != K_EXTERN) symbol->is_static = 1; /* the whole program is here */
    if (!is_complete(type->base) && type->base->kind != TYPE_VOID && !is_error(type->base))
        error(declarator->position, "the size of what this function returns is not known");
    enter_function(&own, symbol, unqualified(type->base));
    open_scope(here());
    for (parameter = type->parameters; parameter; parameter = parameter->next) {
        if (!parameter->name) {
            parameter_symbol = new_symbol(0, A_VARIABLE, parameter->type, 0);
        } else {
            if (parameter->name->symbol && parameter->name->symbol->depth == scope_depth)
                error_about(parameter->position, "a second parameter ", parameter->name, "");
            parameter_symbol = new_symbol(parameter->name, A_VARIABLE, parameter->declared ? parameter->declared : parameter->type, parameter->position);
        }
        if (!is_complete(parameter->type) && !is_error(parameter->type)) {
            error(parameter->position, "the size of this parameter is not known");
            parameter_symbol->type = &type_int;
        }
        parameter_symbol->is_local = parameter_symbol->is_defined = 1;
        parameter_symbol->is_used = 1;
        /* in order: the head is reached through the function's symbol while it is lowered */
        {
            Symbol **link = (Symbol **)&symbol->data;
            while (*link) link = &(*link)->next;
            *link = parameter_symbol;
        }
    }
    lengths = parse_lengths(type);
    body = parse_block();
    if (lengths) {
        lengths->next = body->a;
        body->a = lengths;
    }
    check_labels();
    close_scope();
    if (!symbol->is_static) put_in_object(symbol);
    if (error_count == 0) lower_function(symbol, body);
    symbol->data = 0;
    leave_function(&own);
    if (!within) scratch_bytes = used;
}

/* Skips to where a declaration or statement may start. */
static void find_way(void)
{
    u32 depth = 0;
    panic = 0;
    for (;;) {
        u32 kind = kind_now();
        if (kind == T_END) return;
        if (kind == '{') depth++;
        if (kind == '}') {
            if (depth == 0) return;
            if (--depth == 0) {
                advance();
                return;
            }
        }
        advance();
        if (kind == ';' && depth == 0) return;
    }
}

/* A declaration. In a block: statements that set its variables up; outside it may be a function. */
static Node *parse_declaration(u32 place)
{
    Specifiers specifiers, common;
    Declarator declarator;
    Node *first = 0, **link = &first;
    i32 outside = place == OUTSIDE, is_first = 1;
    if (kind_now() == K_STATIC_ASSERT) {
        static_assertion();
        return 0;
    }
    parse_specifiers(&specifiers);
    if (!specifiers.has_type && !panic) {
        i32 has_more = specifiers.storage || specifiers.type->qualifiers; /* than a declarator */
        if (kind_now() != T_NAME && !(has_more && kind_now() == '*')) {
            begin_error(here());
            say("a declaration should stand here, not ");
            say_token(tok());
            end_message();
            panic = 1;
            return 0;
        }
        if (kind_after() != '(' && !has_more &&
            (tok()->u.name->symbol || (kind_after() != '=' && kind_after() != ';' && kind_after() != '[' && kind_after() != ','))) {
            error_about(here(), "", tok()->u.name, " is no type");
            suggest(tok()->u.name);
            panic = 1;
            return 0;
        }
        if (kind_now() == '*')
            warning(here(), "the type is missing; int is taken");
        else if (kind_after() != '(' || !specifiers.storage)
            warning_about(here(), "the type of ", tok()->u.name, " is missing; int is taken");
    }
    if (accept(';')) return 0;
    common = specifiers;
    for (;;) {
        if (!is_first) specifiers = common; /* what stands behind a name is about that one */
        parse_declarator(specifiers.type, &declarator);
        parse_attributes(&specifiers);
        declarator.type = attributed(declarator.type, &specifiers);
        if (panic) return first;
        if (!declarator.name) {
            confused(here(), "a name should stand here");
            return first;
        }
        check_declaration(&specifiers, &declarator, place);
        if (specifiers.storage == K_TYPEDEF) {
            Symbol *symbol;
            if (!outside) check_local(&declarator, &specifiers);
            symbol = declarator.name->symbol;
            if (outside && symbol && (symbol->kind != A_TYPEDEF || !same_type(symbol->type, declarator.type)))
                error_about(declarator.position, "", declarator.name, " is declared already, as something else");
            if (specifiers.alignment) {
                Type *copy = new_type(declarator.type->kind);
                *copy = *declarator.type;
                copy->alignment = specifiers.alignment;
                declarator.type = copy;
            }
            new_symbol(declarator.name, A_TYPEDEF, declarator.type, declarator.position);
        } else if (declarator.type->kind == TYPE_FUNCTION) {
            if (kind_now() == '{' && tokens[at_token - 1].kind == T_NAME) {
                confused(here(), "the parameters are missing: a function is defined with them, whatever its type is called");
                return first;
            }
            if (is_first && (kind_now() == '{' || (declarator.type->old_count && starts_type(at_token)))) {
                define_function(&declarator, &specifiers);
                return 0;
            }
            if (within && specifiers.storage == K_AUTO) declare_nested(&declarator, &specifiers);
            else declare_global(&declarator, &specifiers, A_FUNCTION);
        } else if (outside || specifiers.storage == K_EXTERN) {
            define_global_variable(&declarator, &specifiers);
        } else {
            *link = define_local_variable(&declarator, &specifiers);
            while (*link) link = &(*link)->next;
        }
        is_first = 0;
        if (!accept(',')) break;
    }
    expect(';', "a declaration ends with `;`");
    return first;
}

/* ---- statements ---- */

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
    if (value->kind == N_BINARY && value->op == OP_EQ) warning(value->position, "this compares, and drops the result; to assign, write =");
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
    if (kind >= K_FIRST && kind < K_TYPES && kind != K_SIZEOF && kind != K_ALIGNOF && kind != K_GENERIC && kind != K_EXTENSION) advance();
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
