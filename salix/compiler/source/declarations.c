/* Declarations, and definitions of functions: a function is lowered as soon as its body has been read. */

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
    if (kind == A_FUNCTION && specifiers->is_handle && declarator->type->base == specifiers->type)
        symbol->gives_handle = 1;
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
        if (symbol->is_defined && symbol->data)
            error_about(declarator->position, "a second definition of ", declarator->name, "");
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
    if (other && other->depth == depth - 1 && depth == within->depth + 2)
        depth--; /* parameters are of the outermost block, too */
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
                for (parameter = type->parameters; parameter && parameter->name != each.name;)
                    parameter = parameter->next;
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
        error_about(declarator->position, "", declarator->name,
                    " is variadic: it takes any number of arguments, which Loops do not have");
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
            parameter_symbol =
                new_symbol(parameter->name, A_VARIABLE, parameter->declared ? parameter->declared : parameter->type,
                           parameter->position);
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
            (tok()->u.name->symbol ||
             (kind_after() != '=' && kind_after() != ';' && kind_after() != '[' && kind_after() != ','))) {
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
                confused(here(),
                         "the parameters are missing: a function is defined with them, whatever its type is called");
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
