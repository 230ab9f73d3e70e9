/* The conditions of #if, and what they leave out. */

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

/* Reads the rest of a directive's line and expands it. What is read stays where it is until the next directive. */
static void read_line(Argument *argument, i32 is_condition)
{
    u32 first = gathered_count;
    Token token;
    for (;;) {
        lex(&token);
        if (token.kind == T_NEWLINE || token.kind == T_END) break;
        gather(&token);
    }
    memset(argument, 0, sizeof *argument);
    argument->start = gathered + first;
    argument->length = gathered_count - first;
    asking = (u8)is_condition;
    expand_argument(argument);
    asking = 0;
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

/* Reads the rest of the line of #ifdef or #ifndef. */
static i32 definition_holds(i32 wanted)
{
    Token token;
    i32 holds;
    lex(&token);
    if (token.kind != T_NAME) error(token.position, "#ifdef and #ifndef need a name");
    holds = token.kind == T_NAME && (token.u.name->macro != 0) == wanted;
    if (token.kind != T_NEWLINE) skip_line();
    return holds;
}

/* elif, elifdef or elifndef. */
static i32 is_elif(const Name *name)
{
    return name->length == 4 || (name->length == 7 && starts_with(name->text + 4, "def")) ||
           (name->length == 8 && starts_with(name->text + 4, "ndef"));
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
            } else if (depth == 0 && starts_with(name->text, "elif") && is_elif(name)) {
                if (condition->seen_else) error(token.position, "an #elif after the #else");
                if (!condition->taken) {
                    skipping = 0;
                    if (name->length > 4 ? definition_holds(name->length == 7) : condition_holds(token.position)) {
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
