/* #define: the parameters and the body of a macro, and whether a second definition is the same. */

static void skip_line(void)
{
    Token token;
    do lex(&token);
    while (token.kind != T_NEWLINE && token.kind != T_END);
}

static void end_of_directive(const char *directive_name)
{
    Token token;
    lex(&token);
    if (token.kind == T_NEWLINE || token.kind == T_END) return;
    if (begin_warning(token.position)) {
        say("text after #");
        say(directive_name);
        say(" is left out; put it into a comment");
        end_message();
    }
    skip_line();
}

static i32 same_body(const Macro *a, const Macro *b)
{
    u32 i, length;
    const char *text_a, *text_b;
    if (a->length != b->length || a->has_parameters != b->has_parameters || a->parameter_count != b->parameter_count)
        return 0;
    for (i = 0; i < a->parameter_count; i++)
        if (a->parameters[i] != b->parameters[i]) return 0;
    for (i = 0; i < a->length; i++) {
        length = spelling(a->body + i, &text_a);
        if (spelling(b->body + i, &text_b) != length || memcmp(text_a, text_b, length) != 0) return 0;
    }
    return 1;
}

static i32 read_parameters(Macro *macro)
{
    Name *found[MAX_PARAMETERS];
    Token token;
    u32 i;
    for (;;) {
        lex(&token);
        if (token.kind == ')' && macro->parameter_count == 0) break;
        if (token.kind == P_ELLIPSIS || token.kind == T_NAME) {
            if (macro->parameter_count >= MAX_PARAMETERS - 1) fatal(token.position, "a macro has too many parameters");
            found[macro->parameter_count] = token.kind == T_NAME ? token.u.name : name_va_args;
            for (i = 0; i < macro->parameter_count; i++)
                if (found[i] == found[macro->parameter_count])
                    error_about(token.position, "a second parameter ", found[i], "");
            macro->parameter_count++;
            macro->variadic = token.kind == P_ELLIPSIS;
            lex(&token);
            if (token.kind == P_ELLIPSIS && !macro->variadic) {
                macro->variadic = 1;
                lex(&token);
            }
            if (token.kind == ')') break;
            if (token.kind == ',' && !macro->variadic) continue;
        }
        error(token.position, "the parameters of a macro are names, separated by commas, with ... at most at the end");
        if (token.kind != T_NEWLINE) skip_line();
        return 0;
    }
    macro->parameters = keep((u64)macro->parameter_count * sizeof(Name *) + 8);
    for (i = 0; i < macro->parameter_count; i++) macro->parameters[i] = found[i];
    return 1;
}

/* Whether the body may be put together: # before parameters, ## between tokens (C11 6.10.3.2, 6.10.3.3). */
static void check_body(const Macro *macro)
{
    const Token *at = macro->body, *end = at + macro->length;
    for (; at < end; at++) {
        if (at->kind == P_PASTE && (at == macro->body || at + 1 == end))
            error(at->position, "## stands between two tokens, which it joins");
        if (at->kind == '#' && macro->has_parameters && (at + 1 == end || !is_parameter(macro, at + 1)))
            error(at->position, "# stands before a parameter of the macro, which it makes a string of");
    }
}

static void define_directive(void)
{
    Token token;
    u32 first;
    Macro *macro;
    Name *name;
    lex(&token);
    if (token.kind != T_NAME || token.u.name == name_defined) {
        error(token.position, "#define needs a name to define");
        if (token.kind != T_NEWLINE) skip_line();
        return;
    }
    name = token.u.name;
    macro = keep(sizeof *macro);
    macro->name = name;
    macro->position = token.position;
    if (*reader.at == '(') {
        lex(&token);
        macro->has_parameters = 1;
        if (!read_parameters(macro)) return;
    }
    first = gathered_count;
    for (;;) {
        lex(&token);
        if (token.kind == T_NEWLINE || token.kind == T_END) break;
        gather(&token);
    }
    macro->length = gathered_count - first;
    macro->body = keep((u64)macro->length * sizeof token);
    memcpy(macro->body, gathered + first, (u64)macro->length * sizeof token);
    gathered_count = first;
    check_body(macro);
    if (name->macro && (name->macro->special || !same_body(name->macro, macro)))
        warning_about(macro->position, "", name, " is defined anew, with another meaning; #undef it first");
    name->macro = macro;
}
