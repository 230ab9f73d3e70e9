/* Pragmas that mean something: once, pack, push_macro and pop_macro. All others are for other compilers. */

#define MAX_PACKS 256
#define MAX_PUSHED 32

/* From which token on members are aligned to at most how many bytes; 0: as their types say. */
static struct {
    u32 token;
    u32 limit;
} packs[MAX_PACKS];
static u32 pack_count;
static u32 pushed_packs[MAX_PUSHED];
static u32 pushed_pack_count;

/* What a name meant when #pragma push_macro was reached. */
typedef struct Saved_macro {
    struct Saved_macro *next;
    const Name *name;
    Macro *macro;
} Saved_macro;

static Saved_macro *saved_macros;

/* The limit that #pragma pack sets at the token with this index. */
static u32 pack_at(u32 token)
{
    u32 i;
    for (i = pack_count; i > 0; i--)
        if (packs[i - 1].token <= token) return packs[i - 1].limit;
    return 0;
}

/* pack(), pack(8), pack(push), pack(push, 1), pack(pop) */
static void pack_pragma(u32 position)
{
    u32 limit = pack_count ? packs[pack_count - 1].limit : 0, has_words = 0, suffix;
    Token token;
    lex(&token);
    if (token.kind != '(') {
        warning(position, "#pragma pack is followed by `(`; it is left out");
        return;
    }
    for (lex(&token); token.kind != ')' && token.kind != T_NEWLINE && token.kind != T_END; lex(&token)) {
        if (token.kind == T_NAME && token.u.name == intern_text("push")) {
            if (pushed_pack_count >= MAX_PUSHED) fatal(position, "too many #pragma pack(push) without a pop");
            pushed_packs[pushed_pack_count++] = limit;
        } else if (token.kind == T_NAME && token.u.name == intern_text("pop")) {
            if (!pushed_pack_count) warning(position, "#pragma pack(pop) without a push");
            limit = pushed_pack_count ? pushed_packs[--pushed_pack_count] : 0;
        } else if (token.kind == T_NUMBER) {
            i64 wanted = parse_integer(token.u.spelling, token.position, &suffix);
            if (wanted < 0 || wanted > 16 || (wanted & (wanted - 1)))
                error(token.position, "members are packed to 1, 2, 4, 8 or 16 bytes");
            else
                limit = (u32)wanted;
        }
        has_words = 1;
    }
    if (!has_words) limit = 0;
    if (pack_count >= MAX_PACKS) fatal(position, "too many #pragma pack");
    packs[pack_count].token = token_count ? token_count - 1 : 0;
    packs[pack_count++].limit = limit;
    if (token.kind == ')') lex(&token);
    if (token.kind != T_NEWLINE && token.kind != T_END) skip_line();
}

/* push_macro("NAME") and pop_macro("NAME") */
static void macro_pragma(i32 is_push)
{
    Token token;
    const char *start;
    u32 length;
    Name *name;
    Saved_macro **link, *saved;
    lex(&token);
    if (token.kind == '(') lex(&token);
    if (token.kind != T_STRING) {
        if (token.kind != T_NEWLINE) skip_line();
        return;
    }
    length = spelling(&token, &start);
    name = intern(start + 1, length > 2 ? length - 2 : 0);
    skip_line();
    if (is_push) {
        saved = keep(sizeof *saved);
        saved->name = name;
        saved->macro = name->macro;
        saved->next = saved_macros;
        saved_macros = saved;
        return;
    }
    for (link = &saved_macros; *link; link = &(*link)->next)
        if ((*link)->name == name) {
            name->macro = (*link)->macro;
            *link = (*link)->next;
            return;
        }
}

/* The rest of the line behind #pragma. */
static void pragma_directive(u32 position)
{
    Token token;
    lex(&token);
    if (token.kind == T_NAME && token.u.name == intern_text("pack")) {
        pack_pragma(position);
        return;
    }
    if (token.kind == T_NAME &&
        (token.u.name == intern_text("push_macro") || token.u.name == intern_text("pop_macro"))) {
        macro_pragma(token.u.name->text[1] == 'u');
        return;
    }
    if (token.kind == T_NAME && token.u.name == intern_text("once") && reader.file) reader.file->once = 1;
    if (token.kind != T_NEWLINE) skip_line();
}
