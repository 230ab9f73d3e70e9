/* What specifiers and attributes say of what is declared: `Specifiers`, and the reading of `__attribute__`. */

typedef struct {
    Type *type;
    u32 storage; /* K_TYPEDEF, K_EXTERN, K_STATIC, K_AUTO, K_REGISTER or 0 */
    u32 alignment;
    u32 aligned_to; /* by _Alignas; 0: it does not stand there */
    u8 is_inline;
    u8 is_noreturn;
    u8 is_thread; /* _Thread_local */
    u8 packed;
    u8 is_weak;
    u8 has_type;
    u8 is_handle; /* the type is called sf_handle */
    Symbol *cleanup;  /* is called for a local when its block is left; or 0 */
    i64 vector_bytes; /* that a vector of it is to have; 0: it is none */
    u8 mode;      /* bytes that an integer is to have; 0: as its type says */
    const char *section;
    u32 section_length;
    Name *alias;
    u32 position;
} Specifiers;

typedef struct {
    Type *type;
    Name *name;
    u32 position;
} Declarator;

static Name *name_handle;

static Node *constant_node(const char *what);
static i64 constant_expression(const char *what);
static void parse_declarator(Type *base, Declarator *out);
static void parse_specifiers(Specifiers *out);
static void check_basic_type(const u32 *counts, u32 position);
static void check_no_storage(const Specifiers *specifiers, i32 is_parameter, const char *what);
static void check_member(const Type *record, const Member *member, u32 position);

static i32 name_is(const Name *name, const char *text)
{
    u32 length = (u32)strlen(text);
    if (name->length == length) return starts_with(name->text, text);
    return name->length == length + 4 && starts_with(name->text, "__") && starts_with(name->text + 2, text);
}

/* Skips what starts with `open`, the token here, up to the `close` that belongs to it. */
static void skip_bracketed(u32 open, u32 close)
{
    u32 depth = 0;
    do {
        if (kind_now() == open) depth++;
        if (kind_now() == close) depth--;
        if (kind_now() == T_END) return;
        advance();
    } while (depth);
}

static void check_alignment(i64 alignment, u32 position, u32 *out)
{
    if (alignment < 1 || alignment > 4096 || (alignment & (alignment - 1)))
        error(position, "an alignment is a power of two, at most 4096");
    else if (alignment > *out)
        *out = (u32)alignment;
}

static u8 mode_bytes(const Name *name)
{
    return name_is(name, "QI") ? 1 : name_is(name, "HI") ? 2 : name_is(name, "SI") ? 4 : name_is(name, "DI") ? 8 : 0;
}

/* The integer type of `bytes` bytes that is signed or not as `type` is. */
static Type *with_mode(Type *type, u32 bytes)
{
    i32 natural = is_unsigned(type);
    if (!bytes || !is_integer(type)) return type;
    if (bytes == 1) return natural ? &type_uchar : &type_schar;
    if (bytes == 2) return natural ? &type_ushort : &type_short;
    if (bytes == 4) return natural ? &type_uint : &type_int;
    return natural ? &type_ulong : &type_long;
}

static Type *with_vector(Type *type, i64 bytes, u32 position);

/* `type` as the attributes that were read say. */
static Type *attributed(Type *type, Specifiers *specifiers)
{
    i64 bytes = specifiers->vector_bytes;
    specifiers->vector_bytes = 0;
    return with_vector(with_mode(type, specifiers->mode), bytes, specifiers->position);
}

/* The parenthesis and the texts in it, joined. */
static Symbol *parse_attribute_text(void)
{
    Symbol *text;
    u32 count = 0;
    advance();
    while (tokens[at_token + count].kind == T_STRING) count++;
    text = string_symbol(tok(), count);
    at_token += count;
    expect(')', "this ends with `)`");
    return text;
}

/* __attribute__((...)), any number of them; what is not known is skipped: it is advice to other compilers. */
static void parse_attributes(Specifiers *out)
{
    for (;;) {
        if (kind_now() == K_ASM) { /* a name for the linker */
            advance();
            if (kind_now() == '(') skip_bracketed('(', ')');
            continue;
        }
        if (kind_now() != K_ATTRIBUTE) return;
        advance();
        expect('(', "__attribute__ is followed by `((`");
        expect('(', "__attribute__ is followed by `((`");
        while (kind_now() != ')' && kind_now() != T_END && !panic) {
            Token *token = tok();
            Name *name = token->kind == T_NAME || token->kind >= K_FIRST ? token->u.name : 0;
            u32 position = here();
            if (name && kind_now() != ',') advance();
            if (name && name_is(name, "section") && kind_now() == '(' && kind_after() == T_STRING) {
                Symbol *text = parse_attribute_text();
                out->section = (const char *)text->data;
                out->section_length = (u32)text->type->count - 1;
            } else if (name && name_is(name, "alias") && kind_now() == '(' && kind_after() == T_STRING) {
                Symbol *text = parse_attribute_text();
                out->alias = intern((const char *)text->data, (u32)text->type->count - 1);
            } else if (name && name_is(name, "aligned")) {
                if (kind_now() == '(') {
                    advance();
                    check_alignment(constant_expression("an alignment"), position, &out->alignment);
                    expect(')', "this ends with `)`");
                } else {
                    out->alignment = 16;
                }
            } else if (name && name_is(name, "vector_size") && kind_now() == '(') {
                advance();
                out->vector_bytes = constant_expression("the size of a vector");
                expect(')', "this ends with `)`");
            } else if (name && name_is(name, "cleanup")) {
                Symbol *function =
                    kind_now() == '(' && kind_after() == T_NAME ? tokens[at_token + 1].u.name->symbol : 0;
                if (function && function->kind == A_FUNCTION) out->cleanup = function;
                else error(position, "cleanup takes the name of a function that is declared before");
                skip_bracketed('(', ')');
            } else {
                if (name && name_is(name, "mode") && kind_now() == '(' && kind_after() == T_NAME)
                    out->mode = mode_bytes(tokens[at_token + 1].u.name);
                if (name && (name_is(name, "constructor") || name_is(name, "destructor")))
                    warning_about(position, "the attribute ", name, " does nothing here: call the function yourself");
                if (name && name_is(name, "packed")) out->packed = 1;
                if (name && name_is(name, "always_inline")) out->is_inline = 2;
                if (name && name_is(name, "noinline")) out->is_inline = 3;
                if (name && name_is(name, "noreturn")) out->is_noreturn = 1;
                if (name && name_is(name, "weak")) out->is_weak = 1;
                if (kind_now() == '(') skip_bracketed('(', ')');
            }
            if (!accept(',')) break;
        }
        expect(')', "an attribute ends with `))`");
        expect(')', "an attribute ends with `))`");
    }
}
