/* Text to tokens of the preprocessor.
 *
 * A token has its place and its spelling: an identifier is interned, numbers, characters and strings point to their
 * first character (their end follows from it), and a punctuator is its kind.
 */

enum {
    T_END, /* of the file, of a list of tokens */
    T_NEWLINE,
    T_EMPTY, /* an empty argument, beside ## */
    T_NAME,
    T_NUMBER,
    T_CHARACTER,
    T_STRING,
    T_OTHER,
    /* one-character punctuators are their ASCII code */
    P_FIRST = 128,
    P_SHL_ASSIGN = P_FIRST,
    P_SHR_ASSIGN,
    P_ELLIPSIS,
    P_SHL,
    P_SHR,
    P_LE,
    P_GE,
    P_EQ,
    P_NE,
    P_AND_AND,
    P_OR_OR,
    P_INCREMENT,
    P_DECREMENT,
    P_ARROW,
    P_PASTE,
    P_ADD_ASSIGN,
    P_SUB_ASSIGN,
    P_MUL_ASSIGN,
    P_DIV_ASSIGN,
    P_MOD_ASSIGN,
    P_AND_ASSIGN,
    P_OR_ASSIGN,
    P_XOR_ASSIGN,
    P_END,
    K_FIRST = 160
};

/* In the order of the kinds from P_FIRST; a longer one stands before those that it starts with. */
static const char punctuators[P_END - P_FIRST][4] = {
    "<<=", ">>=", "...", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++",
    "--",  "->",  "##",  "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="};

enum { AT_START = 1, AFTER_SPACE = 2, NO_EXPANSION = 4, FROM_MACRO = 8 };

typedef struct Macro Macro;
typedef struct Symbol Symbol;
typedef struct Tag Tag;

typedef struct Name {
    struct Name *next;
    const char *text;
    u32 length;
    u32 hash;
    u8 keyword;
    Macro *macro;
    Symbol *symbol; /* what it means in the current scope */
    Symbol *global; /* what it means outside of functions */
    Tag *tag;
    struct LabelUse *label; /* in the current function */
} Name;

typedef struct {
    u8 kind;
    u8 flags;
    u16 unused;
    u32 position;
    union {
        Name *name;
        const char *spelling;
    } u;
} Token;

#define NAME_BUCKETS 2048
static Name *names[NAME_BUCKETS];

static Name *intern(const char *text, u32 length)
{
    u32 hash = 2166136261u, i;
    Name *name;
    for (i = 0; i < length; i++) hash = (hash ^ (u8)text[i]) * 16777619u;
    for (name = names[hash % NAME_BUCKETS]; name; name = name->next)
        if (name->hash == hash && name->length == length && memcmp(name->text, text, length) == 0) return name;
    name = keep(sizeof(Name));
    name->text = text;
    name->length = length;
    name->hash = hash;
    name->next = names[hash % NAME_BUCKETS];
    names[hash % NAME_BUCKETS] = name;
    return name;
}

static Name *intern_text(const char *text)
{
    return intern(text, (u32)strlen(text));
}

/* ---- where text is read from ---- */

typedef struct {
    const char *at;
    const char *start;
    File *file;     /* 0: text that the compiler made */
    u32 position;   /* for text without a file */
    u8 line_starts; /* the next token is the first of its line */
    u32 conditions; /* that were open when the file was entered */
} Reader;

static Reader reader;
static u8 in_directive; /* the end of the line is a token */
static u8 skipping;     /* what is left out by #if may hold anything */

static u32 position_here(void)
{
    return reader.file ? reader.file->first + (u32)(reader.at - reader.start) : reader.position;
}

static i32 is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static i32 starts_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || (u8)c >= 0x80;
}

static i32 in_name(char c)
{
    return starts_name(c) || is_digit(c);
}

static const char *end_of_number(const char *at)
{
    for (;;) {
        if ((*at == 'e' || *at == 'E' || *at == 'p' || *at == 'P') && (at[1] == '+' || at[1] == '-'))
            at += 2;
        else if (in_name(*at) || *at == '.')
            at++;
        else
            return at;
    }
}

/* One past the closing quote; the end of the line if there is none. */
static const char *end_of_quoted(const char *at)
{
    char quote;
    while (*at != '"' && *at != '\'') at++; /* a prefix */
    quote = *at++;
    while (*at != quote) {
        if (*at == '\n' || *at == 0) return at;
        if (*at == '\\' && at[1] != '\n' && at[1] != 0) at++;
        at++;
    }
    return at + 1;
}

/* Skips blanks and comments. Whether there were any. */
static i32 skip_blanks(void)
{
    const char *start = reader.at;
    for (;;) {
        char c = *reader.at;
        if (c == '\n') {
            if (in_directive) break;
            reader.at++;
            reader.line_starts = 1;
        } else if (c == ' ' || (c >= '\t' && c <= '\r')) {
            reader.at++;
        } else if (c == '/' && reader.at[1] == '/') {
            while (*reader.at != '\n' && *reader.at) reader.at++;
        } else if (c == '/' && reader.at[1] == '*') {
            u32 position = position_here();
            reader.at += 2;
            while (*reader.at && !(*reader.at == '*' && reader.at[1] == '/')) reader.at++;
            if (*reader.at == 0) {
                error(position, "this comment does not end; `*/` is missing");
                break;
            }
            reader.at += 2;
        } else {
            break;
        }
    }
    return reader.at != start;
}

static u32 punctuator(const char *at)
{
    u32 i, length;
    for (i = 0; i < P_END - P_FIRST; i++) {
        length = punctuators[i][2] ? 3 : 2;
        if (at[0] == punctuators[i][0] && at[1] == punctuators[i][1] && (length == 2 || at[2] == punctuators[i][2]))
            return P_FIRST + i;
    }
    return 0;
}

static i32 may_start_long_punctuator(char c)
{
    return c == '<' || c == '>' || c == '=' || c == '!' || c == '.' || c == '#' || c == '^' || c == '%' ||
           (c >= '&' && c <= '/') || c == '|';
}

static void lex_quoted(Token *token, const char *start)
{
    token->u.spelling = start;
    reader.at = end_of_quoted(start);
    if (reader.at[-1] == '"' || reader.at[-1] == '\'') {
        const char *open = start;
        while (*open != '"' && *open != '\'') open++;
        token->kind = *open == '"' ? T_STRING : T_CHARACTER;
        if (reader.at - open > 1 && reader.at[-1] == *open) return;
    }
    token->kind = T_OTHER;
    if (!skipping) {
        error(token->position, "a quote that is not closed on its line");
        hint("for a text of several lines, end each line with \\n\" and start the next with \"; they are joined");
    }
}

/* Whether a prefix of a string or character starts here (L, u, U, u8). */
static i32 quote_prefix(const char *at)
{
    if (*at == 'L' || *at == 'U') return at[1] == '"' || at[1] == '\'';
    return *at == 'u' && (at[1] == '"' || at[1] == '\'' || (at[1] == '8' && at[2] == '"'));
}

/* Whether a character beyond ASCII may be part of a name: letters, not blanks and marks (after C11 annex D). */
static i32 may_name(u32 c)
{
    if (c < 0xa8 || c == 0xd7 || c == 0xf7 || c == 0xfeff || (c >= 0x3000 && c < 0x3004)) return 0;
    return c < 0x2000 || c > 0x206f || c == 0x203f || c == 0x2040 || c == 0x2054;
}

/* Reports the first character of a name that cannot be part of one. */
static void check_name(const char *start, u32 position)
{
    const u8 *at = (const u8 *)start, *end = (const u8 *)reader.at;
    while (at < end) {
        u32 length = utf8_length(at, (u64)(end - at)), value, i;
        if (length == 0 && !skipping) {
            error(position + (u32)(at - (const u8 *)start), "this is not UTF-8; save the file as UTF-8");
            return;
        }
        if (length < 2) {
            at++;
            continue;
        }
        value = *at & (0x7fu >> length);
        for (i = 1; i < length; i++) value = value << 6 | (at[i] & 0x3f);
        if (!may_name(value) && !skipping) {
            error(position + (u32)(at - (const u8 *)start),
                  "a character that cannot be part of a name; it may be invisible");
            return;
        }
        at += length;
    }
}

/* Whether a \u escape starts here, which may be part of a name. */
static i32 escapes_name(const char *at)
{
    return *at == '\\' && (at[1] == 'u' || at[1] == 'U');
}

static u32 escaped_character(const char **at, u32 position);

/* A name with such escapes: the same as with the characters that they stand for. */
static Name *escaped_name(const char *start, u32 position)
{
    const char *end = start;
    char *text, *to;
    while (in_name(*end) || escapes_name(end)) end++;
    text = to = keep((u64)(end - start) + 1);
    while (start < end) {
        u32 value;
        if (*start != '\\') {
            *to++ = *start++;
            continue;
        }
        start++;
        value = escaped_character(&start, position);
        if (!may_name(value) && !skipping) error(position, "a character that cannot be part of a name");
        to += put_utf8((u8 *)to, value);
    }
    reader.at = end;
    return intern(text, (u32)(to - text));
}

static void lex(Token *token)
{
    char c;
    i32 blanks = skip_blanks();
    token->flags = (u8)((blanks ? AFTER_SPACE : 0) | (reader.line_starts ? AT_START : 0));
    reader.line_starts = 0;
    token->position = position_here();
    token->u.name = 0;
    c = *reader.at;
    if (c == 0) {
        token->kind = T_END;
        token->flags |= AT_START;
    } else if (c == '\n') {
        token->kind = T_NEWLINE;
    } else if (c == '"' || c == '\'' || quote_prefix(reader.at)) {
        lex_quoted(token, reader.at);
    } else if (starts_name(c) || escapes_name(reader.at)) {
        const char *start = reader.at;
        u8 all = 0;
        while (in_name(*reader.at)) all |= (u8)*reader.at++;
        if (all & 0x80) check_name(start, token->position);
        token->kind = T_NAME;
        token->u.name =
            escapes_name(reader.at) ? escaped_name(start, token->position) : intern(start, (u32)(reader.at - start));
    } else if (is_digit(c) || (c == '.' && is_digit(reader.at[1]))) {
        token->kind = T_NUMBER;
        token->u.spelling = reader.at;
        reader.at = end_of_number(reader.at);
    } else {
        u32 kind = may_start_long_punctuator(c) ? punctuator(reader.at) : 0;
        if (kind) {
            token->kind = (u8)kind;
            reader.at += punctuators[kind - P_FIRST][2] ? 3 : 2;
            return;
        }
        token->kind = (u8)c;
        reader.at++;
        if (c == '<' && *reader.at == ':') token->kind = '[', reader.at++;
        else if (c == ':' && *reader.at == '>') token->kind = ']', reader.at++;
        else if (c == '<' && *reader.at == '%') token->kind = '{', reader.at++;
        else if (c == '%' && *reader.at == '>') token->kind = '}', reader.at++;
        else if (c == '%' && *reader.at == ':') {
            i32 twice = reader.at[1] == '%' && reader.at[2] == ':';
            token->kind = twice ? P_PASTE : '#';
            reader.at += twice ? 3 : 1;
        }
        else if (c < 33 || c > 126 || c == '`' || c == '@' || c == '\\') {
            token->kind = T_OTHER;
            token->u.spelling = reader.at - 1;
        }
    }
}

/* The text of a token, to be printed or pasted. */
static u32 spelling(const Token *token, const char **start)
{
    switch (token->kind) {
    case T_END:
    case T_NEWLINE:
    case T_EMPTY:
        *start = "";
        return 0;
    case T_NAME:
        *start = token->u.name->text;
        return token->u.name->length;
    case T_NUMBER:
        *start = token->u.spelling;
        return (u32)(end_of_number(*start) - *start);
    case T_CHARACTER:
    case T_STRING:
        *start = token->u.spelling;
        return (u32)(end_of_quoted(*start) - *start);
    case T_OTHER:
        *start = token->u.spelling;
        return 1;
    default:
        if (token->kind >= K_FIRST) {
            *start = token->u.name->text;
            return token->u.name->length;
        }
        if (token->kind >= P_FIRST) {
            *start = punctuators[token->kind - P_FIRST];
            return punctuators[token->kind - P_FIRST][2] ? 3 : 2;
        }
        *start = &" !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~"
            [token->kind - 32];
        return 1;
    }
}

static void say_token(const Token *token)
{
    const char *start;
    u32 length = spelling(token, &start);
    if (token->kind == T_END) {
        say("the end of the file");
        return;
    }
    say("`");
    say_text(start, length > 60 ? 60 : length);
    say("`");
}

static void say_name(const Name *name)
{
    say("`");
    if (name) say_text(name->text, name->length > 120 ? 120 : name->length);
    say("`");
}

/* BEFORE `name` AFTER */
static void error_about(u32 position, const char *before, const Name *name, const char *after)
{
    begin_error(position);
    say(before);
    say_name(name);
    say(after);
    end_message();
}

static void warning_about(u32 position, const char *before, const Name *name, const char *after)
{
    if (!begin_warning(position)) return;
    say(before);
    say_name(name);
    say(after);
    end_message();
}
