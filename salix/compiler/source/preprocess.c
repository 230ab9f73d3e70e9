/* Tokens of files to the tokens of the program: directives, macros, inclusion.
 *
 * A macro that is expanded is pushed as a list of tokens on a stack of lists; while its list is there it is busy, and
 * its name is not expanded again. Arguments are expanded apart, on a list above a floor. Lists live in a pool that is
 * emptied whenever the stack is: what a single expansion may need is what bounds macro bombs.
 */

#define MAX_LISTS 200
#define MAX_INCLUDES 40
#define MAX_ENTERED 2000 /* inclusions in all */
#define MAX_CONDITIONS 64
#define POOL_TOKENS 16000
#define MAX_PARAMETERS 128

enum { MACRO_PLAIN, MACRO_LINE, MACRO_FILE, MACRO_COUNTER };

struct Macro {
    Name *name;
    u32 position;
    u8 special;
    u8 has_parameters;
    u8 variadic; /* the last parameter takes the rest */
    u8 busy;
    u32 parameter_count;
    Name **parameters;
    Token *body;
    u32 length;
};

typedef struct {
    Token *at;
    Token *end;
    Macro *macro;
} List;

typedef struct {
    u32 position;
    u8 taken;     /* a group was chosen already */
    u8 seen_else;
} Condition;

static List lists[MAX_LISTS];
static u32 list_count;
static u32 list_floor; /* lists below belong to others: what is above ends like a file */
static Token pool[POOL_TOKENS];
static u32 pool_used;
static Token gathered[POOL_TOKENS]; /* a stack: arguments, plain and expanded, lines of directives */
static u32 gathered_count;
static Reader includes[MAX_INCLUDES];
static u32 include_count;
static u32 entered_count;
static Condition conditions[MAX_CONDITIONS];
static u32 condition_count;
static u32 counter;
static Name *name_defined, *name_va_args, *name_va_opt, *name_pragma;

static i64 parse_integer(const char *at, u32 position, u32 *suffix);
static i64 character_value(const char *at, u32 position);
static void expanded_token(Token *token);
static void directive(const Token *hash);

static Token *pool_take(u32 count, u32 position)
{
    if (pool_used + count > POOL_TOKENS)
        fatal(position, "this macro expands to too much; write a function or a table instead");
    pool_used += count;
    return pool + pool_used - count;
}

static void gather(const Token *token)
{
    if (gathered_count >= POOL_TOKENS)
        fatal(token->position, "this macro expands to too much; write a function or a table instead");
    gathered[gathered_count++] = *token;
}

static void push_list(Token *start, u32 count, Macro *macro, u32 position)
{
    if (list_count >= MAX_LISTS) fatal(position, "macros are nested too deeply here; write functions instead");
    lists[list_count].at = start;
    lists[list_count].end = start + count;
    lists[list_count++].macro = macro;
    if (macro) macro->busy = 1;
}

/* The next token, not expanded; directives have been carried out. */
static void plain_token(Token *token)
{
    for (;;) {
        if (list_count > list_floor) {
            List *list = &lists[list_count - 1];
            if (list->at < list->end) {
                *token = *list->at++;
                if (token->kind == T_EMPTY) continue;
                return;
            }
            if (list->macro) list->macro->busy = 0;
            list_count--;
            continue;
        }
        if (list_floor) {
            memset(token, 0, sizeof *token);
            return;
        }
        lex(token);
        if (token->kind == '#' && (token->flags & AT_START) && !in_directive) {
            directive(token);
            continue;
        }
        if (token->kind == T_END && include_count) {
            if (condition_count > reader.conditions)
                error(conditions[condition_count - 1].position, "this conditional has no #endif in its file");
            condition_count = reader.conditions;
            reader = includes[--include_count];
            reader.line_starts = 1;
            continue;
        }
        return;
    }
}

static void put_back(const Token *token)
{
    Token *copy = pool_take(1, token->position);
    *copy = *token;
    push_list(copy, 1, 0, token->position);
}

/* ---- # and ## ---- */

static void stringify(Token *out, Token *at, Token *end, const Token *place)
{
    Token *t;
    u32 size = 3, length, i;
    const char *start;
    char *text, *to;
    for (t = at; t < end; t++) size += 2 * spelling(t, &start) + 1;
    to = text = keep(size);
    *to++ = '"';
    for (t = at; t < end; t++) {
        length = spelling(t, &start);
        if (t > at && (t->flags & (AFTER_SPACE | AT_START))) *to++ = ' ';
        for (i = 0; i < length; i++) {
            if ((t->kind == T_STRING || t->kind == T_CHARACTER) && (start[i] == '"' || start[i] == '\\')) *to++ = '\\';
            *to++ = start[i];
        }
    }
    *to++ = '"';
    *out = *place;
    out->kind = T_STRING;
    out->u.spelling = text;
}

/* *left := *left ## *right */
static void paste(Token *left, const Token *right)
{
    const char *a, *b;
    u32 length_a = spelling(left, &a), length_b = spelling(right, &b);
    u8 flags = left->flags;
    u32 position = left->position;
    Reader saved = reader;
    char *text;
    if (left->kind == T_EMPTY || right->kind == T_EMPTY) {
        if (left->kind == T_EMPTY) *left = *right;
        return;
    }
    text = keep((u64)length_a + length_b + 2);
    memcpy(text, a, length_a);
    memcpy(text + length_a, b, length_b);
    text[length_a + length_b] = '\n';
    memset(&reader, 0, sizeof reader);
    reader.at = reader.start = text;
    reader.position = position;
    lex(left);
    if (reader.at != text + length_a + length_b && !skipping) {
        begin_error(position);
        say("## makes `");
        say_text(text, length_a + length_b);
        say("`, which is no token");
        end_message();
    }
    reader = saved;
    left->flags = (u8)(flags & ~NO_EXPANSION);
    left->position = position;
}

/* ---- calls of macros ---- */

typedef struct {
    Token *start;
    u32 length;
    Token *expanded; /* 0: not yet */
    u32 expanded_length;
} Argument;

static void expand_argument(Argument *argument)
{
    u32 saved_floor = list_floor, saved_directive = in_directive;
    Token token;
    u32 start, first;
    if (argument->expanded) return;
    push_list(argument->start, argument->length, 0, argument->length ? argument->start->position : 0);
    list_floor = list_count - 1;
    if (list_floor == 0) { /* 0 means that there is none */
        lists[1] = lists[0];
        lists[0].at = lists[0].end;
        lists[0].macro = 0;
        list_floor = 1;
        list_count = 2;
    }
    start = pool_used;
    first = gathered_count;
    for (;;) {
        expanded_token(&token);
        if (token.kind == T_END) break;
        gather(&token);
    }
    argument->expanded = gathered + first;
    argument->expanded_length = gathered_count - first;
    pool_used = start;
    list_floor = saved_floor;
    in_directive = (u8)saved_directive;
}

static Argument *argument_of(const Macro *macro, Argument *arguments, const Token *token)
{
    u32 i;
    if (token->kind != T_NAME || !macro->has_parameters) return 0;
    for (i = 0; i < macro->parameter_count; i++)
        if (macro->parameters[i] == token->u.name) return &arguments[i];
    return 0;
}

static Token *append(Token *start, u32 count, const Token *place)
{
    Token *to = pool_take(count ? count : 1, place->position);
    u32 i;
    if (count == 0) {
        *to = *place;
        to->kind = T_EMPTY;
        return to;
    }
    for (i = 0; i < count; i++) to[i] = start[i];
    to->flags = (u8)((to->flags & ~(AFTER_SPACE | AT_START)) | (place->flags & AFTER_SPACE));
    return to;
}

/* The body with arguments put in, as the next list. `call` is the macro's name where it was used. */
static void substitute(Macro *macro, Argument *arguments, const Token *call)
{
    Token *body = macro->body, *end = body + macro->length, *made, *first;
    u32 start;
    /* arguments are expanded first: each leaves the pool as it was */
    for (made = body; made < end; made++) {
        Argument *argument = argument_of(macro, arguments, made);
        if (argument) expand_argument(argument);
    }
    start = pool_used;
    first = pool + start;
    while (body < end) {
        Argument *argument = argument_of(macro, arguments, body);
        Token place = *body;
        place.position = call->position;
        place.flags |= FROM_MACRO;
        if (macro->has_parameters && body->kind == '#' && body + 1 < end &&
            (argument = argument_of(macro, arguments, body + 1)) != 0) {
            made = pool_take(1, call->position);
            stringify(made, argument->start, argument->start + argument->length, &place);
            body += 2;
        } else if (body->kind == P_PASTE && pool_used > start && body + 1 < end) {
            Token *left = pool + pool_used - 1;
            argument = argument_of(macro, arguments, body + 1);
            if (argument && left->kind == ',' && macro->variadic &&
                argument == &arguments[macro->parameter_count - 1]) {
                if (argument->length == 0)
                    left->kind = T_EMPTY;
                else
                    append(argument->expanded, argument->expanded_length, &place);
            } else if (argument && body + 1 < end) {
                if (argument->length) {
                    paste(left, argument->start);
                    if (argument->length > 1) append(argument->start + 1, argument->length - 1, &place);
                }
            } else {
                Token right = body[1];
                if (macro->has_parameters && right.kind == '#' && body + 2 < end &&
                    (argument = argument_of(macro, arguments, body + 2)) != 0) {
                    stringify(&right, argument->start, argument->start + argument->length, &place);
                    body++;
                }
                paste(left, &right);
            }
            body += 2;
        } else if (argument && body + 1 < end && body[1].kind == P_PASTE) {
            append(argument->start, argument->length, &place);
            body++;
        } else if (argument) {
            append(argument->expanded, argument->expanded_length, &place);
            body++;
        } else if (macro->variadic && body->kind == T_NAME && body->u.name == name_va_opt && body + 1 < end &&
                   body[1].kind == '(') {
            u32 depth = 0;
            Argument *rest = &arguments[macro->parameter_count - 1];
            for (body++; body < end; body++) {
                if (body->kind == '(' && depth++ == 0) continue;
                if (body->kind == ')' && --depth == 0) break;
                if (rest->length == 0) continue;
                argument = argument_of(macro, arguments, body);
                if (argument)
                    append(argument->expanded, argument->expanded_length, body);
                else {
                    made = pool_take(1, call->position);
                    *made = *body;
                    made->position = call->position;
                }
            }
            if (body < end) body++;
        } else {
            made = pool_take(1, call->position);
            *made = place;
            body++;
        }
    }
    if (pool_used > start) {
        first->flags = (u8)((first->flags & ~(AFTER_SPACE | AT_START)) | (call->flags & (AFTER_SPACE | AT_START)));
    }
    push_list(first, pool_used - start, macro, call->position);
}

/* The arguments of a call; the opening parenthesis has been read. */
static i32 read_arguments(Macro *macro, Argument *arguments, const Token *call)
{
    u32 depth = 0, count = 0, most = macro->parameter_count;
    Token token;
    arguments[0].start = gathered + gathered_count;
    for (;;) {
        plain_token(&token);
        if (token.kind == T_END || token.kind == T_NEWLINE) {
            error_about(call->position, "the call of the macro ", macro->name, " has no closing parenthesis");
            if (token.kind == T_END && list_floor == 0) put_back(&token);
            return 0;
        }
        if (token.kind == '(') depth++;
        if (token.kind == ')' && depth-- == 0) break;
        if (token.kind == ',' && depth == 0 && !(macro->variadic && count + 1 >= most)) {
            if (++count < MAX_PARAMETERS) {
                memset(&arguments[count], 0, sizeof *arguments);
                arguments[count].start = gathered + gathered_count;
            }
            continue;
        }
        if (count < MAX_PARAMETERS) {
            if (token.flags & AT_START) token.flags = (u8)((token.flags & ~AT_START) | AFTER_SPACE);
            gather(&token);
            arguments[count].length++;
        }
    }
    count++;
    if (most == 0 && count == 1 && arguments[0].length == 0) count = 0;
    if (macro->variadic && count + 1 == most) {
        memset(&arguments[count], 0, sizeof *arguments);
        arguments[count++].start = arguments[0].start;
    }
    if (count != most) {
        begin_error(call->position);
        say("the macro ");
        say_name(macro->name);
        say(" takes ");
        say_number(most);
        say(most == 1 ? " argument, here it gets " : " arguments, here it gets ");
        say_number(count);
        end_message();
        return 0;
    }
    return 1;
}

static void special_token(const Macro *macro, Token *token)
{
    u32 length = 0;
    File *file;
    char *text = keep(24);
    i64 number = macro->special == MACRO_LINE ? (i64)line_number(token->position) : 0;
    file = file_of(token->position);
    if (macro->special == MACRO_COUNTER) number = (i64)counter++;
    else if (file) number += file->line_change;
    if (number < 0) number = 0;
    if (macro->special == MACRO_FILE && file && file->shown_path) {
        token->kind = T_STRING;
        token->u.spelling = file->shown_path;
        return;
    }
    if (macro->special == MACRO_FILE) {
        length = file ? file->path_length : 0;
        text = keep((u64)length + 3);
        text[0] = '"';
        if (file) memcpy(text + 1, file->path, length);
        text[length + 1] = '"';
        token->kind = T_STRING;
    } else {
        do {
            length++;
            text[22 - length] = (char)('0' + number % 10);
            number /= 10;
        } while (number);
        text += 22 - length;
        token->kind = T_NUMBER;
    }
    token->u.spelling = text;
}

/* The next token of the program. */
static void expanded_token(Token *token)
{
    for (;;) {
        Macro *macro;
        Token next;
        if (list_count == 0) pool_used = 0;
        plain_token(token);
        if (token->kind != T_NAME || !token->u.name->macro || (token->flags & NO_EXPANSION)) return;
        macro = token->u.name->macro;
        if (macro->busy) {
            token->flags |= NO_EXPANSION;
            return;
        }
        if (macro->special) {
            special_token(macro, token);
            return;
        }
        if (macro->has_parameters) {
            u64 saved = scratch_bytes;
            u32 saved_count = gathered_count;
            Argument *arguments;
            plain_token(&next);
            if (next.kind != '(') {
                if (next.kind != T_END || list_floor == 0) put_back(&next);
                return;
            }
            arguments = scratch(MAX_PARAMETERS * sizeof *arguments);
            if (read_arguments(macro, arguments, token)) substitute(macro, arguments, token);
            scratch_bytes = saved;
            gathered_count = saved_count;
        } else {
            substitute(macro, 0, token);
        }
    }
}

/* ---- directives ---- */

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
    begin_error(token.position);
    say("text after #");
    say(directive_name);
    say("; put it into a comment");
    end_message();
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
            found[macro->parameter_count++] = token.kind == T_NAME ? token.u.name : name_va_args;
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
    if (name->macro && (name->macro->special || !same_body(name->macro, macro)))
        warning_about(macro->position, "", name, " is defined anew, with another meaning; #undef it first");
    name->macro = macro;
}

/* ---- the conditions of #if ---- */

typedef struct {
    Token *at;
    u8 is_unsigned; /* the value just computed */
    u8 wrong;
    u8 unevaluated;
    u32 depth;
} Condition_reader;

static Condition_reader conditional;


static void bad_condition(const Token *token, const char *text)
{
    if (!conditional.wrong) error(token->position, text);
    conditional.wrong = 1;
}

static u32 level_of(u32 kind)
{
    switch (kind) {
    case ',': return 1;
    case '=': case P_ADD_ASSIGN: case P_SUB_ASSIGN: case P_MUL_ASSIGN: case P_DIV_ASSIGN: case P_MOD_ASSIGN:
    case P_AND_ASSIGN: case P_OR_ASSIGN: case P_XOR_ASSIGN: case P_SHL_ASSIGN: case P_SHR_ASSIGN: return 2;
    case '?': return 3;
    case P_OR_OR: return 4;
    case P_AND_AND: return 5;
    case '|': return 6;
    case '^': return 7;
    case '&': return 8;
    case P_EQ: case P_NE: return 9;
    case '<': case '>': case P_LE: case P_GE: return 10;
    case P_SHL: case P_SHR: return 11;
    case '+': case '-': return 12;
    case '*': case '/': case '%': return 13;
    default: return 0;
    }
}

static i64 condition_value(u32 level);

static i64 condition_operand(void)
{
    Token *token = conditional.at;
    i64 value;
    u32 suffix;
    if (++conditional.depth > 100) fatal(token->position, "this condition is nested too deeply");
    conditional.is_unsigned = 0;
    if (token->kind != T_END) conditional.at++;
    switch (token->kind) {
    case T_NUMBER:
        value = parse_integer(token->u.spelling, token->position, &suffix);
        conditional.is_unsigned = (suffix & 1) != 0 || value < 0;
        break;
    case T_CHARACTER: value = character_value(token->u.spelling, token->position); break;
    case T_NAME: value = 0; break;
    case '(':
        value = condition_value(1);
        if (conditional.at->kind != ')')
            bad_condition(conditional.at, "the condition of an #if lacks a closing parenthesis");
        else
            conditional.at++;
        break;
    case '-': value = (i64)(0 - (u64)condition_operand()); break;
    case '+': value = condition_operand(); break;
    case '~': value = ~condition_operand(); break;
    case '!':
        value = !condition_operand();
        conditional.is_unsigned = 0;
        break;
    default:
        bad_condition(token, "the condition of an #if is an integer constant expression; something else stands here");
        value = 0;
    }
    conditional.depth--;
    return value;
}

static i64 condition_operation(u32 kind, i64 left, i64 right, i32 is_unsigned)
{
    u64 a = (u64)left, b = (u64)right;
    switch (kind) {
    case '|': return left | right;
    case '^': return left ^ right;
    case '&': return left & right;
    case P_EQ: return left == right;
    case P_NE: return left != right;
    case '<': return is_unsigned ? a < b : left < right;
    case '>': return is_unsigned ? a > b : left > right;
    case P_LE: return is_unsigned ? a <= b : left <= right;
    case P_GE: return is_unsigned ? a >= b : left >= right;
    case P_SHL: return (i64)(a << (b & 63));
    case P_SHR: return is_unsigned ? (i64)(a >> (b & 63)) : left >> (b & 63);
    case '+': return (i64)(a + b);
    case '-': return (i64)(a - b);
    case '*': return (i64)(a * b);
    case '/':
        if (right == -1 && !is_unsigned) return (i64)(0 - a);
        return is_unsigned ? (i64)(a / b) : left / right;
    default:
        if (right == -1 && !is_unsigned) return 0;
        return is_unsigned ? (i64)(a % b) : left % right;
    }
}

static i64 condition_value(u32 level)
{
    i64 left = condition_operand(), right;
    for (;;) {
        Token *token = conditional.at;
        u32 kind = token->kind, found = level_of(kind);
        u8 left_unsigned = conditional.is_unsigned, unevaluated = conditional.unevaluated, is_unsigned;
        if (found < level || found == 0) return left;
        if (found == 2) {
            bad_condition(token, "a condition of the preprocessor cannot assign; to compare, write ==");
            return 0;
        }
        conditional.at++;
        if (kind == '?') {
            i64 third;
            conditional.unevaluated = unevaluated || !left;
            right = condition_value(1);
            is_unsigned = conditional.is_unsigned;
            if (conditional.at->kind != ':') {
                bad_condition(conditional.at, "the `:` of a `?` is missing");
                return 0;
            }
            conditional.at++;
            conditional.unevaluated = unevaluated || left;
            third = condition_value(3);
            conditional.unevaluated = unevaluated;
            conditional.is_unsigned |= is_unsigned;
            left = left ? right : third;
            continue;
        }
        if (kind == P_AND_AND && !left) conditional.unevaluated = 1;
        if (kind == P_OR_OR && left) conditional.unevaluated = 1;
        right = condition_value(found + 1);
        conditional.unevaluated = unevaluated;
        is_unsigned = left_unsigned | conditional.is_unsigned;
        conditional.is_unsigned = 0;
        if (kind == P_AND_AND) {
            left = left && right;
        } else if (kind == P_OR_OR) {
            left = left || right;
        } else if (kind == ',') {
            left = right;
        } else if ((kind == '/' || kind == '%') && right == 0) {
            if (!unevaluated) bad_condition(token, "the condition of an #if divides by zero");
            left = 0;
        } else {
            left = condition_operation(kind, left, right, kind == P_SHR ? left_unsigned : is_unsigned);
            if (found > 10 || found < 9) conditional.is_unsigned = found == 11 ? left_unsigned : is_unsigned;
        }
    }
}

static File *find_included(const char *path, u32 length, const File *from);

/* `defined NAME` and `__has_include(...)`: answered before anything is expanded. */
static i32 answered(Token *token)
{
    Token next;
    i32 parenthesis, answer;
    if (token->kind != T_NAME || token->u.name != name_defined) return 0;
    lex(&next);
    parenthesis = next.kind == '(';
    if (parenthesis) lex(&next);
    if (next.kind != T_NAME) {
        error(next.position, "`defined` needs a name");
        answer = 0;
    } else {
        answer = next.u.name->macro != 0;
        if (parenthesis) {
            lex(&next);
            if (next.kind != ')') error(next.position, "`defined(` lacks its closing parenthesis");
            }
    }
    token->kind = T_NUMBER;
    token->u.spelling = answer ? "1" : "0";
    return 1;
}

/* Reads the rest of a directive's line and expands it. What is read stays where it is until the next directive. */
static void read_line(Argument *argument, i32 is_condition)
{
    u32 first = gathered_count;
    Token token;
    for (;;) { /* `defined` must be seen before expansion, so the line is read plainly first */
        lex(&token);
        if (token.kind == T_NEWLINE || token.kind == T_END) break;
        if (is_condition) answered(&token);
        gather(&token);
    }
    memset(argument, 0, sizeof *argument);
    argument->start = gathered + first;
    argument->length = gathered_count - first;
    expand_argument(argument);
    token.kind = T_END;
    gather(&token);
    gathered_count = first;
}

/* Reads the rest of the line. Whether the condition holds. */
static i32 condition_holds(u32 position)
{
    Argument argument;
    i64 value;
    read_line(&argument, 1);
    memset(&conditional, 0, sizeof conditional);
    conditional.at = argument.expanded;
    if (argument.expanded_length == 0) {
        error(position, "a condition is missing here");
        return 0;
    }
    value = condition_value(1);
    if (conditional.at->kind != T_END) bad_condition(conditional.at, "the condition of an #if should end here");
    return value != 0 && !conditional.wrong;
}

/* Skips to the next #elif or #else that is to be taken, or to the #endif. */
static void skip_group(void)
{
    Condition *condition = &conditions[condition_count - 1];
    u32 depth = 0;
    Token token;
    in_directive = 0;
    skipping = 1;
    for (;;) {
        lex(&token);
        if (token.kind == T_END) break;
        if (token.kind != '#' || !(token.flags & AT_START)) continue;
        in_directive = 1;
        lex(&token);
        if (token.kind == T_NAME) {
            Name *name = token.u.name;
            if (name->length >= 2 && starts_with(name->text, "if") &&
                (name->length == 2 || (name->length == 5 && starts_with(name->text, "ifdef")) ||
                 (name->length == 6 && starts_with(name->text, "ifndef")))) {
                depth++;
            } else if (name->length == 5 && starts_with(name->text, "endif")) {
                if (depth-- == 0) {
                    condition_count--;
                    skip_line();
                    break;
                }
            } else if (depth == 0 && name->length == 4 && starts_with(name->text, "else")) {
                if (condition->seen_else) error(token.position, "a second #else");
                condition->seen_else = 1;
                if (!condition->taken) {
                    condition->taken = 1;
                    skip_line();
                    break;
                }
            } else if (depth == 0 && name->length == 4 && starts_with(name->text, "elif")) {
                if (condition->seen_else) error(token.position, "an #elif after the #else");
                if (!condition->taken) {
                    skipping = 0;
                    if (condition_holds(token.position)) {
                        condition->taken = 1;
                        break;
                    }
                    skipping = 1;
                    in_directive = 0;
                    continue;
                }
            }
        }
        if (token.kind != T_NEWLINE) skip_line();
        in_directive = 0;
    }
    skipping = 0;
    in_directive = 0;
    if (token.kind == T_END) error(condition->position, "this conditional has no #endif");
    if (token.kind == T_END) condition_count--;
}

static void open_condition(u32 position, i32 holds)
{
    Condition *condition;
    if (condition_count >= MAX_CONDITIONS) fatal(position, "conditionals are nested too deeply");
    condition = &conditions[condition_count++];
    condition->position = position;
    condition->taken = (u8)holds;
    condition->seen_else = 0;
    if (!holds) skip_group();
}

/* ---- #include ---- */

static File *file_named(const char *path, u32 length)
{
    u32 i;
    for (i = 0; i < file_count; i++)
        if (files[i].path_length == length && memcmp(files[i].path, path, length) == 0) return &files[i];
    return 0;
}

/* Beside the file that includes it, else from the top; `.` and `..` are resolved. */
static File *find_included(const char *path, u32 length, const File *from)
{
    char joined[512];
    u32 end = 0, i;
    File *file;
    if (from)
        for (i = 0; i < from->path_length && i < 200; i++) {
            joined[i] = from->path[i];
            if (joined[i] == '/') end = i + 1;
        }
    for (i = 0; i < length && end < 500;) {
        u32 part = i;
        while (part < length && path[part] != '/') part++;
        if (part - i == 2 && path[i] == '.' && path[i + 1] == '.') {
            if (end) end--;
            while (end && joined[end - 1] != '/') end--;
        } else if (!(part - i == 1 && path[i] == '.') && part > i) {
            while (i < part && end < 500) joined[end++] = path[i++];
            if (part < length) joined[end++] = '/';
        }
        i = part + 1;
    }
    file = file_named(joined, end);
    return file ? file : file_named(path, length);
}

static void enter_file(File *file)
{
    if (!file->text) load_file(file);
    memset(&reader, 0, sizeof reader);
    reader.file = file;
    reader.at = reader.start = file->text;
    reader.line_starts = 1;
    reader.conditions = condition_count;
}

static void include_directive(u32 position)
{
    const char *path, *start;
    u32 length = 0;
    File *file;
    Token token;
    skip_blanks();
    if (*reader.at == '<') {
        path = ++reader.at;
        while (*reader.at != '>' && *reader.at != '\n' && *reader.at) reader.at++;
        length = (u32)(reader.at - path);
        if (*reader.at == '>') reader.at++;
        skip_line();
    } else {
        Argument line;
        read_line(&line, 0);
        token = line.expanded[0];
        if (token.kind == T_STRING) {
            length = spelling(&token, &start) - 2;
            path = start + 1;
        } else if (token.kind == '<') { /* a macro that gives <path> */
            char *joined = keep(line.expanded_length * 64 + 8);
            u32 i, part;
            for (i = 1; i < line.expanded_length && line.expanded[i].kind != '>'; i++) {
                part = spelling(&line.expanded[i], &start);
                if (part > 60) part = 60;
                memcpy(joined + length, start, part);
                length += part;
            }
            path = joined;
        } else {
            error(position, "#include needs the path of a file, in quotes");
            return;
        }
    }
    file = find_included(path, length, reader.file);
    if (!file) {
        begin_error(position);
        say("there is no file `");
        say_text(path, length > 120 ? 120 : length);
        say("` among those submitted");
        end_message();
        if (length == 7 && starts_with(path, "stdio.h"))
            hint("a Loop has no standard library; write messages with sf_log from \"spinfoam.h\"");
        return;
    }
    if (file->once) return;
    if (++entered_count > MAX_ENTERED) fatal(position, "files are included too often; start each header with #pragma once");
    if (include_count >= MAX_INCLUDES)
        fatal(position, "files include each other without end; start each header with #pragma once");
    includes[include_count++] = reader;
    enter_file(file);
}

static void directive(const Token *hash)
{
    Token token;
    Name *name;
    u32 position;
    in_directive = 1;
    lex(&token);
    position = token.position;
    if (token.kind == T_NEWLINE || token.kind == T_END) {
        in_directive = 0;
        return;
    }
    name = token.kind == T_NAME ? token.u.name : 0;
    if (!name) {
        if (token.kind != T_NUMBER) error(position, "a line that starts with # is a directive, such as #include");
        skip_line();
    } else if (name == intern_text("define")) {
        define_directive();
    } else if (name == intern_text("include")) {
        include_directive(position);
    } else if (name == intern_text("undef")) {
        lex(&token);
        if (token.kind == T_NAME) token.u.name->macro = 0;
        else error(token.position, "#undef needs a name");
        if (token.kind != T_NEWLINE) end_of_directive("undef");
    } else if (name == intern_text("ifdef") || name == intern_text("ifndef")) {
        i32 wanted = name->length == 5;
        lex(&token);
        if (token.kind != T_NAME) error(token.position, "#ifdef and #ifndef need a name");
        if (token.kind != T_NEWLINE) skip_line();
        open_condition(position, token.kind == T_NAME && (token.u.name->macro != 0) == wanted);
    } else if (name == intern_text("if")) {
        open_condition(position, condition_holds(position));
    } else if (name == intern_text("elif") || name == intern_text("else")) {
        if (condition_count <= reader.conditions) {
            error(position, "#else or #elif without an #if in this file");
            skip_line();
        } else {
            if (conditions[condition_count - 1].seen_else) error(position, "nothing but #endif may follow an #else");
            if (name->text[2] == 's') conditions[condition_count - 1].seen_else = 1;
            skip_line();
            skip_group();
        }
    } else if (name == intern_text("endif")) {
        if (condition_count <= reader.conditions) error(position, "#endif without an #if in this file");
        else condition_count--;
        skip_line();
    } else if (name == intern_text("error") || name == intern_text("warning")) {
        const char *start, *end;
        skip_blanks();
        start = end = reader.at;
        while (*end != '\n' && *end) end++;
        if (name->text[0] == 'e') {
            begin_error(position);
            say("#error ");
            say_text(start, (u32)(end - start > 300 ? 300 : end - start));
            end_message();
        } else if (begin_warning(position)) {
            say("#warning ");
            say_text(start, (u32)(end - start > 300 ? 300 : end - start));
            end_message();
        }
        reader.at = end;
        skip_line();
    } else if (name == intern_text("pragma")) {
        lex(&token);
        if (token.kind == T_NAME && token.u.name == intern_text("once") && reader.file) reader.file->once = 1;
        if (token.kind != T_NEWLINE) skip_line();
    } else if (name == intern_text("line")) { /* for __LINE__ and __FILE__; messages name the real lines */
        Argument line;
        u32 suffix;
        read_line(&line, 0);
        if (line.expanded[0].kind != T_NUMBER) {
            error(position, "#line needs a number");
        } else if (reader.file) {
            reader.file->line_change = parse_integer(line.expanded[0].u.spelling, position, &suffix) - line_number(position) - 1;
            if (line.expanded_length > 1 && line.expanded[1].kind == T_STRING) reader.file->shown_path = line.expanded[1].u.spelling;
        }
    } else if (name == intern_text("ident")) {
        skip_line();
    } else {
        error_about(hash->position, "there is no directive #", name, "");
        skip_line();
    }
    in_directive = 0;
    reader.line_starts = 1;
}

static void define_special(const char *text, u8 special)
{
    Macro *macro = keep(sizeof *macro);
    macro->name = intern_text(text);
    macro->special = special;
    macro->name->macro = macro;
}

static const char predefined[] =
    "#define __STDC__ 1\n"
    "#define __STDC_VERSION__ 201112L\n"
    "#define __STDC_HOSTED__ 0\n"
    "#define __STDC_NO_VLA__ 1\n"
    "#define __STDC_NO_THREADS__ 1\n"
    "#define __STDC_NO_ATOMICS__ 1\n"
    "#define __STDC_NO_COMPLEX__ 1\n"
    "#define __salix__ 1\n"
    "#define __bpf__ 1\n"
    "#define __BPF__ 1\n"
    "#define __LP64__ 1\n"
    "#define _LP64 1\n"
    "#define __DATE__ \"Jan  1 1970\"\n"
    "#define __TIME__ \"00:00:00\"\n"
    "#define __CHAR_BIT__ 8\n"
    "#define __SCHAR_MAX__ 127\n"
    "#define __SHRT_MAX__ 32767\n"
    "#define __INT_MAX__ 2147483647\n"
    "#define __LONG_MAX__ 9223372036854775807L\n"
    "#define __LONG_LONG_MAX__ 9223372036854775807LL\n"
    "#define __SIZEOF_SHORT__ 2\n"
    "#define __SIZEOF_INT__ 4\n"
    "#define __SIZEOF_LONG__ 8\n"
    "#define __SIZEOF_LONG_LONG__ 8\n"
    "#define __SIZEOF_POINTER__ 8\n"
    "#define __SIZEOF_SIZE_T__ 8\n"
    "#define __SIZE_TYPE__ unsigned long\n"
    "#define __PTRDIFF_TYPE__ long\n"
    "#define __INTPTR_TYPE__ long\n"
    "#define __UINTPTR_TYPE__ unsigned long\n"
    "#define __WCHAR_TYPE__ int\n"
    "#define __INT8_TYPE__ signed char\n"
    "#define __INT16_TYPE__ short\n"
    "#define __INT32_TYPE__ int\n"
    "#define __INT64_TYPE__ long\n"
    "#define __UINT8_TYPE__ unsigned char\n"
    "#define __UINT16_TYPE__ unsigned short\n"
    "#define __UINT32_TYPE__ unsigned int\n"
    "#define __UINT64_TYPE__ unsigned long\n"
    "#define __ORDER_LITTLE_ENDIAN__ 1234\n"
    "#define __ORDER_BIG_ENDIAN__ 4321\n"
    "#define __BYTE_ORDER__ 1234\n";

/* ---- all tokens of the program ---- */

#define MAX_TOKENS 100000
static Token tokens[MAX_TOKENS];
static u32 token_count;

static void define_predefined(void)
{
    Token token;
    name_defined = intern_text("defined");
    name_va_args = intern_text("__VA_ARGS__");
    name_va_opt = intern_text("__VA_OPT__");
    name_pragma = intern_text("_Pragma");
    memset(&reader, 0, sizeof reader);
    reader.at = reader.start = predefined;
    reader.line_starts = 1;
    plain_token(&token);
    define_special("__LINE__", MACRO_LINE);
    define_special("__FILE__", MACRO_FILE);
    define_special("__COUNTER__", MACRO_COUNTER);
}

/* _Pragma("..."): as if it were not there. */
static void drop_pragma(void)
{
    u32 depth = 0;
    Token token;
    token_count--;
    do {
        expanded_token(&token);
        if (token.kind == '(') depth++;
        if (token.kind == ')') depth--;
    } while (depth && token.kind != T_END);
}

static void preprocess(File *entry)
{
    Token *token;
    if (token_count) token_count--; /* the end of the file before */
    enter_file(entry);
    do {
        if (token_count >= MAX_TOKENS) fatal(tokens[token_count - 1].position, "the program is too long");
        token = &tokens[token_count++];
        expanded_token(token);
        if (token->kind == T_NAME && token->u.name->keyword) token->kind = token->u.name->keyword;
        if (token->kind == T_NAME && token->u.name == name_pragma) drop_pragma();
    } while (token_count == 0 || tokens[token_count - 1].kind != T_END);
    if (condition_count) error(conditions[condition_count - 1].position, "this conditional has no #endif");
}
