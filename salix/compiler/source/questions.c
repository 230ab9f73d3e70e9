/* What conditions of #if ask, beside for values: `defined`, __has_include, __has_attribute, __has_builtin.
 *
 * They are answered while the condition is expanded, so that macros may ask, too; names after them are not expanded.
 */

static File *find_included(const char *path, u32 length, const File *from, i32 next);

/* The spelling of the tokens up to `>`, one after the other. */
static const char *joined_path(const Token *at, const Token *end, u32 *length)
{
    const Token *each;
    const char *start;
    char *joined;
    u64 most = 1;
    for (each = at; each < end; each++) most += spelling(each, &start);
    joined = keep(most);
    for (*length = 0; at < end && at->kind != '>'; at++) {
        u32 part = spelling(at, &start);
        memcpy(joined + *length, start, part);
        *length += part;
    }
    return joined;
}

/* Whether text that consists of words has this one, its underscores at both ends left out. */
static i32 has_word(const char *words, const Name *word)
{
    const char *start = word->text;
    u32 length = word->length;
    if (length > 4 && starts_with(start, "__") && starts_with(start + length - 2, "__")) {
        start += 2;
        length -= 4;
    }
    for (; *words; words++) {
        if (memcmp(words, start, length) == 0 && words[length] == ' ') return 1;
        while (*words != ' ') words++;
    }
    return 0;
}

/* Whether a call of this name is known without a declaration. */
static i32 is_builtin(const Name *name)
{
    u32 i;
    if (name->macro) return starts_with(name->text, "__");
    if (has_word("__builtin_offsetof __builtin_types_compatible_p __builtin_expect __builtin_constant_p "
                 "__builtin_choose_expr __builtin_unreachable __builtin_trap __builtin_abort __builtin_bswap16 "
                 "__builtin_bswap32 __builtin_bswap64 __builtin_memcpy __builtin_memmove __builtin_memset "
                 "__builtin_memcmp __builtin_strlen ", name))
        return 1;
    for (i = 0; i + 1 < token_count; i++) /* of salix_builtins.h, which is read before the program that names them */
        if (tokens[i].kind == T_NAME && tokens[i].u.name == name && tokens[i + 1].kind == '(' &&
            file_of(tokens[i].position)->supplied)
            return 1;
    return 0;
}

static i32 has_included(const Token *token, u32 count, i32 next)
{
    const char *path;
    u32 length;
    if (token->kind == T_STRING) {
        length = spelling(token, &path) - 2;
        path++;
    } else if (token->kind == '<') {
        path = joined_path(token + 1, token + count, &length);
    } else {
        error(token->position, "__has_include asks for a path, in quotes or in < >");
        return 0;
    }
    return find_included(path, length, reader.file, next) != 0;
}

/* If `token` asks something, it becomes the answer. */
static void answer_question(Token *token)
{
    Name *name = token->u.name;
    u32 first = gathered_count;
    i32 answer, parenthesis;
    Token next;
    if (name != name_defined && (!name->macro || name->macro->special != MACRO_QUESTION)) return;
    plain_token(&next);
    parenthesis = next.kind == '(';
    if (parenthesis) plain_token(&next);
    if (name != name_defined && starts_with(name->text, "__has_include")) {
        u32 count = 0;
        while (next.kind != ')' && next.kind != T_END) {
            if (next.kind == T_NAME && next.u.name->macro && count == 0) {
                put_back(&next);
                expanded_token(&next);
                continue;
            }
            gather(&next);
            count++;
            plain_token(&next);
        }
        gather(&next);
        answer = has_included(gathered + first, count, name->length > 13);
        gathered_count = first;
    } else {
        answer = 0;
        if (next.kind != T_NAME) error(next.position, "the name that is asked for is missing here");
        else if (name == name_defined) answer = next.u.name->macro != 0;
        else if (starts_with(name->text, "__has_builtin")) answer = is_builtin(next.u.name);
        else
            answer = has_word("aligned packed section weak noreturn always_inline noinline mode unused used const pure "
                              "deprecated fallthrough format nonnull malloc warn_unused_result may_alias cold hot ",
                              next.u.name);
        if (parenthesis) plain_token(&next);
    }
    if (parenthesis && next.kind != ')') error(token->position, "this question lacks its closing parenthesis");
    token->kind = T_NUMBER;
    token->u.spelling = answer ? "1" : "0";
}
