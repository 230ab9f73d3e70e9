/* Declarators: pointers, arrays and functions around a name; names of types; _Static_assert. */

static u32 parameter_depth; /* inside of parameters, a first dimension does not matter */
static u32 parameter_lists; /* that are open: their names are not known in lengths */
static u32 skipped_length;  /* token at which such a dimension starts, if computing it changes something */

static Type *parse_parameters(Type *result)
{
    Type *type = new_type(TYPE_FUNCTION);
    Parameter **link = &type->parameters;
    type->base = result;
    advance();
    if (kind_now() == ')') {
        advance();
        return type;
    }
    if (kind_now() == T_NAME && !starts_type(at_token) && !names_no_type()) { /* as before 1989 */
        while (kind_now() == T_NAME) {
            *link = keep(sizeof(Parameter));
            (*link)->name = tok()->u.name;
            (*link)->position = here();
            (*link)->type = &type_int;
            link = &(*link)->next;
            type->old_count++;
            advance();
            if (!accept(',')) break;
        }
        expect(')', "the parameters end with `)`");
        return type;
    }
    type->is_prototype = 1;
    if (kind_now() == K_VOID && kind_after() == ')') {
        advance();
        advance();
        return type;
    }
    open_scope(here());
    parameter_depth++;
    parameter_lists++;
    while (kind_now() != T_END && !panic) {
        Specifiers specifiers;
        Declarator declarator;
        if (accept(P_ELLIPSIS)) {
            type->is_variadic = 1;
            break;
        }
        if (!starts_type(at_token) && !names_no_type()) {
            confused(here(), "a parameter starts with its type");
            break;
        }
        parse_specifiers(&specifiers);
        skipped_length = 0;
        check_no_storage(&specifiers, 1, "a parameter has no storage class, unless it is register");
        parse_declarator(specifiers.type, &declarator);
        parse_attributes(&specifiers);
        declarator.type = attributed(declarator.type, &specifiers);
        if (declarator.type->kind == TYPE_ARRAY) declarator.type = pointer_to(declarator.type->base);
        if (declarator.type->kind == TYPE_FUNCTION) declarator.type = pointer_to(declarator.type);
        if (declarator.type->kind == TYPE_VOID) {
            error(declarator.position, "a parameter cannot be void");
            declarator.type = &type_int;
        }
        *link = keep(sizeof(Parameter));
        (*link)->name = declarator.name;
        (*link)->type = declarator.type;
        (*link)->position = declarator.position;
        (*link)->length = skipped_length;
        link = &(*link)->next;
        if (!accept(',')) break;
    }
    skipped_length = 0;
    parameter_depth--;
    parameter_lists--;
    close_scope();
    expect(')', "the parameters end with `)`");
    return type;
}

/* Whether the length of a parameter's array, which ends at `]`, is made of constants: others do not matter. */
static i32 length_is_constant(void)
{
    u32 i;
    for (i = at_token; tokens[i].kind != ']' && tokens[i].kind != T_END; i++) {
        Symbol *symbol = tokens[i].kind == T_NAME ? tokens[i].u.name->symbol : 0;
        if (tokens[i].kind == T_NAME && (!symbol || symbol->kind == A_VARIABLE || symbol->kind == A_FUNCTION)) return 0;
        if (tokens[i].kind == '*' && tokens[i + 1].kind == ']') return 0;
    }
    return 1;
}

/* Whether the length that ends at `]` names something that is not declared: in a list of parameters, one of them. */
static i32 names_parameter(void)
{
    u32 i;
    for (i = at_token; tokens[i].kind != ']' && tokens[i].kind != T_END; i++)
        if (tokens[i].kind == T_NAME && !tokens[i].u.name->symbol) return 1;
    return 0;
}

static Type *parse_suffix(Type *type)
{
    u32 position = here();
    if (kind_now() == '(') {
        type = parse_parameters(type);
        if (type->base->kind == TYPE_ARRAY || type->base->kind == TYPE_FUNCTION) {
            error(position, "a function cannot return an array or a function; return a pointer");
            type->base = &type_int;
        }
        return type;
    }
    if (kind_now() == '[') {
        i64 count = -1;
        u32 parameters = parameter_depth;
        advance();
        if (parameters ? !length_is_constant() : parameter_lists && names_parameter()) {
            u32 depth = 0, start = at_token;
            if (!parameters) {
                error(position, "the length of an array must be a constant");
                hint("give the array the greatest length that is needed, and keep the number of used elements apart");
                count = 1;
            }
            while (kind_now() != T_END && !(kind_now() == ']' && depth == 0)) {
                if (kind_now() == '[') depth++;
                if (kind_now() == ']') depth--;
                if (kind_now() == '(' || kind_now() == P_INCREMENT || kind_now() == P_DECREMENT ||
                    level_of(kind_now()) == 2)
                    skipped_length = start;
                advance();
            }
            parameter_depth = 0;
        } else {
            parameter_depth = 0;
            if (!parameters && (kind_now() == K_STATIC || (kind_now() >= K_CONST && kind_now() <= K_ATOMIC)))
                error(here(), "only the first length of a parameter that is an array can have such a word");
            while (kind_now() == K_STATIC || (kind_now() >= K_CONST && kind_now() <= K_ATOMIC)) advance();
            if (kind_now() != ']') {
                Node *node = value_of(parse_assignment());
                if (node->kind != N_CONST && !is_error(node->type)) {
                    error(position, "the length of an array must be a constant");
                    hint(
                        "give the array the greatest length that is needed, and keep the number of used elements apart");
                    count = 1;
                } else if (node->value < 0 || node->value > MAX_TYPE_BYTES) {
                    error(position, "an array cannot have so many elements");
                    count = 1;
                } else {
                    count = node->value;
                }
            }
        }
        expect(']', "the length of an array ends with `]`");
        nest();
        type = parse_suffix(type);
        nesting--;
        parameter_depth = parameters;
        if (!is_complete(type) && !is_error(type)) {
            begin_error(position);
            say("an array cannot have elements that are ");
            say_type(type);
            end_message();
            type = &type_int;
        }
        if (count > 0 && size_of(type) > MAX_TYPE_BYTES / count) {
            error(position, "this array is too big");
            count = 1;
        }
        return array_of(type, count);
    }
    return type;
}

/* Whether the parenthesis here holds a declarator, and not parameters: attributes may stand first. */
static i32 parenthesis_is_declarator(void)
{
    u32 i = at_token + 1, depth;
    while (tokens[i].kind == K_ATTRIBUTE) {
        depth = 0;
        do {
            i++;
            if (tokens[i].kind == '(') depth++;
            if (tokens[i].kind == ')') depth--;
        } while (depth && tokens[i].kind != T_END);
        if (tokens[i].kind == T_END) return 0;
        i++;
    }
    return tokens[i].kind != ')' && !starts_type(i);
}

static void parse_declarator(Type *base, Declarator *out)
{
    Type *type = base;
    Specifiers ignored;
    memset(&ignored, 0, sizeof ignored);
    nest();
    for (;;) {
        if (accept('*')) {
            type = pointer_to(type);
        } else if (kind_now() == K_CONST || kind_now() == K_VOLATILE) {
            type = qualified(type, kind_now() == K_CONST ? CONST : VOLATILE);
            advance();
        } else if (kind_now() == K_RESTRICT || kind_now() == K_ATOMIC) {
            advance();
        } else if (kind_now() == K_ATTRIBUTE) {
            parse_attributes(&ignored);
        } else {
            break;
        }
    }
    if (kind_now() == '(' && parenthesis_is_declarator()) {
        u32 start = at_token + 1, end;
        skip_bracketed('(', ')');
        type = parse_suffix(type);
        end = at_token;
        at_token = start;
        if (kind_now() == K_ATTRIBUTE) parse_attributes(&ignored);
        parse_declarator(type, out);
        expect(')', "a declarator in parentheses ends with `)`");
        if (!panic) at_token = end;
        nesting--;
        return;
    }
    out->name = 0;
    out->position = here();
    if (kind_now() == T_NAME) {
        out->name = tok()->u.name;
        advance();
    }
    out->type = parse_suffix(type);
    nesting--;
}

static Type *parse_type_name(void)
{
    Specifiers specifiers;
    Declarator declarator;
    if (!starts_type(at_token)) {
        confused(here(), "a type should stand here");
        return &type_error;
    }
    parse_specifiers(&specifiers);
    check_no_storage(&specifiers, 0, "a type that stands alone has no storage class");
    parse_declarator(specifiers.type, &declarator);
    if (declarator.name)
        error_about(declarator.position, "a type without a name should stand here, not ", declarator.name, "");
    return declarator.type;
}

static Type *static_assertion(void)
{
    u32 position = here();
    i64 value;
    advance();
    expect('(', "_Static_assert is followed by `(`");
    value = constant_expression("what _Static_assert asserts");
    if (!value && !panic) {
        begin_error(position);
        say("the assertion does not hold");
        if (kind_now() == ',' && kind_after() == T_STRING) {
            const char *start;
            u32 length = spelling(&tokens[at_token + 1], &start);
            say(": ");
            say_text(start, length > 200 ? 200 : length);
        }
        end_message();
    }
    if (accept(','))
        while (kind_now() == T_STRING) advance();
    expect(')', "_Static_assert ends with `)`");
    expect(';', "_Static_assert ends with `;`");
    return 0;
}
