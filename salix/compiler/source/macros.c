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

enum { MACRO_PLAIN, MACRO_LINE, MACRO_FILE, MACRO_COUNTER, MACRO_BASE_FILE, MACRO_LEVEL, MACRO_QUESTION };

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
static File *base_file; /* the one that is compiled */
static u8 asking;       /* a condition is expanded: questions are answered */

#define MAX_TOKENS 100000
static Token tokens[MAX_TOKENS]; /* of the program */
static u32 token_count;          /* so far: the one that is being read is counted */
static Name *name_defined, *name_va_args, *name_va_opt, *name_pragma;

static i64 parse_integer(const char *at, u32 position, u32 *suffix);
static i64 character_value(const char *at, u32 position);
static void expanded_token(Token *token);
static void directive(const Token *hash);
static void answer_question(Token *token);

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
        if (asking && token.kind == T_NAME) answer_question(&token);
        gather(&token);
    }
    argument->expanded = gathered + first;
    argument->expanded_length = gathered_count - first;
    pool_used = start;
    list_floor = saved_floor;
    in_directive = (u8)saved_directive;
}

static i32 is_parameter(const Macro *macro, const Token *token)
{
    u32 i;
    for (i = 0; token->kind == T_NAME && i < macro->parameter_count; i++)
        if (macro->parameters[i] == token->u.name) return 1;
    return token->kind == T_NAME && macro->variadic && token->u.name == name_va_opt;
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
    /* arguments are expanded first: each leaves the pool as it was; beside # and ## they stay as they are */
    for (made = body; made < end; made++) {
        Argument *argument = argument_of(macro, arguments, made);
        i32 is_rest = argument && macro->variadic && argument == &arguments[macro->parameter_count - 1];
        if (argument && !is_rest && made > body && (made[-1].kind == '#' || made[-1].kind == P_PASTE)) continue;
        if (argument && made + 1 < end && made[1].kind == P_PASTE) continue;
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
    file = macro->special == MACRO_BASE_FILE ? base_file : file_of(token->position);
    if (macro->special == MACRO_COUNTER) number = (i64)counter++;
    else if (macro->special == MACRO_LEVEL) number = (i64)include_count;
    else if (file) number += file->line_change;
    if (number < 0) number = 0;
    if (macro->special == MACRO_FILE && file && file->shown_path) {
        token->kind = T_STRING;
        token->u.spelling = file->shown_path;
        return;
    }
    if (macro->special == MACRO_FILE || macro->special == MACRO_BASE_FILE) {
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
        plain_token(token);
        if (list_count == 0) pool_used = 0;
        if (token->kind != T_NAME || !token->u.name->macro || (token->flags & NO_EXPANSION)) return;
        macro = token->u.name->macro;
        if (macro->busy) {
            token->flags |= NO_EXPANSION;
            return;
        }
        if (macro->special) {
            if (macro->special != MACRO_QUESTION) special_token(macro, token);
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
