/* The types that declarations spell: specifiers, attributes, struct, union and enum, declarators. */

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
                Symbol *function = kind_now() == '(' && kind_after() == T_NAME ? tokens[at_token + 1].u.name->symbol : 0;
                if (function && function->kind == A_FUNCTION) out->cleanup = function;
                else error(position, "cleanup takes the name of a function that is declared before");
                skip_bracketed('(', ')');
            } else {
                if (name && name_is(name, "mode") && kind_now() == '(' && kind_after() == T_NAME) out->mode = mode_bytes(tokens[at_token + 1].u.name);
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

/* ---- struct and union ---- */

static i64 round_up(i64 offset, i64 alignment)
{
    return (offset + alignment - 1) & -alignment;
}

typedef struct {
    Record *record;
    Member **link;
    i64 bits; /* where the next member goes, from the start */
    i64 size;
    u8 is_union;
    u8 packed;
    u32 limit; /* of alignment, by #pragma pack; 0: none */
} Members;

static void place_member(Members *members, Member *member, i64 width, u32 asked)
{
    i64 size = size_of(member->type), start = members->is_union ? 0 : members->bits;
    u32 alignment = members->packed ? 1 : alignment_of(member->type);
    if (asked > alignment) alignment = asked;
    if (members->limit && alignment > members->limit) alignment = members->limit;
    member->alignment = asked;
    if (member->is_bit_field) {
        i32 packed = members->packed || members->limit; /* it may then lie anywhere */
        if (width == 0) {
            members->bits = round_up(members->bits, size * 8);
            return;
        }
        if (asked) start = round_up(start, (i64)(members->limit && asked > members->limit ? members->limit : asked) * 8);
        if (!packed && start / (size * 8) != (start + width - 1) / (size * 8)) start = round_up(start, size * 8);
        member->bit_width = (u8)width;
        if (packed) {
            member->offset = start / 8;
            member->bit_offset = (u8)(start % 8);
            member->unit_bytes = (u8)((member->bit_offset + width + 7) / 8);
        } else {
            member->offset = start / (size * 8) * size;
            member->bit_offset = (u8)(start % (size * 8));
            member->unit_bytes = (u8)size;
        }
        start += width;
    } else {
        start = round_up(start, (i64)alignment * 8);
        member->offset = start / 8;
        start += size * 8;
    }
    if (member->name || !member->is_bit_field)
        if (alignment > members->record->alignment) members->record->alignment = alignment;
    members->bits = start;
    if ((start + 7) / 8 > members->size) members->size = (start + 7) / 8;
    *members->link = member;
    members->link = &member->next;
}

static void parse_member(Type *record, Members *members, const Specifiers *specifiers)
{
    Declarator declarator;
    Specifiers own = *specifiers;
    Member *member = keep(sizeof *member);
    i64 width = 0;
    memset(&declarator, 0, sizeof declarator);
    declarator.type = specifiers->type;
    declarator.position = here();
    if (kind_now() != ':' && kind_now() != ';') parse_declarator(specifiers->type, &declarator);
    member->name = declarator.name;
    member->type = declarator.type;
    if (accept(':')) {
        member->is_bit_field = 1;
        width = constant_expression("the width of a bit-field");
        if (!is_integer(member->type) && !is_error(member->type)) {
            error(declarator.position, "a bit-field has an integer type");
            member->type = &type_int;
        }
        if (width < 0 || width > (member->type->kind == TYPE_BOOL ? 1 : size_of(member->type) * 8) || (width == 0 && member->name)) {
            error(declarator.position, "a bit-field is at least one bit wide and fits its type");
            width = 1;
        }
        if (own.aligned_to) error(declarator.position, "_Alignas is for variables and members that lie in memory");
    }
    parse_attributes(&own);
    member->type = attributed(member->type, &own);
    if (member->type->kind == TYPE_FUNCTION || (!is_complete(member->type) && member->type->kind != TYPE_ARRAY)) {
        if (!is_error(member->type)) {
            begin_error(declarator.position);
            say("a member cannot be ");
            say_type(member->type);
            say(member->type->kind == TYPE_FUNCTION ? "; a pointer to it can" : ", whose size is not known");
            end_message();
        }
        member->type = &type_int;
    }
    check_member(record, member, declarator.position);
    if (member->type->kind == TYPE_ARRAY && member->type->count < 0) members->record->is_flexible = 1;
    if (own.packed && !members->packed) {
        members->packed = 1;
        place_member(members, member, width, own.alignment);
        members->packed = 0;
    } else {
        place_member(members, member, width, own.alignment);
    }
}

static void parse_members(Type *type, Specifiers *attributes)
{
    Members members;
    u32 i;
    memset(&members, 0, sizeof members);
    members.record = type->record;
    members.record->alignment = 1;
    members.link = &type->record->members;
    members.is_union = type->kind == TYPE_UNION;
    members.packed = attributes->packed;
    members.limit = pack_at(at_token);
    if (!members.packed) { /* the attribute may stand behind the members */
        u32 depth = 0;
        for (i = at_token; tokens[i].kind != T_END; i++) {
            if (tokens[i].kind == '{') depth++;
            if (tokens[i].kind == '}' && depth-- == 0) break;
        }
        if (tokens[i].kind == '}' && tokens[i + 1].kind == K_ATTRIBUTE) {
            u32 saved = at_token;
            Specifiers behind;
            memset(&behind, 0, sizeof behind);
            at_token = i + 1;
            parse_attributes(&behind);
            at_token = saved;
            members.packed = behind.packed;
        }
    }
    while (kind_now() != '}' && kind_now() != T_END) {
        Specifiers specifiers;
        if (accept(';')) continue;
        if (kind_now() == K_STATIC_ASSERT) {
            static_assertion();
            continue;
        }
        parse_specifiers(&specifiers);
        check_no_storage(&specifiers, 0, "members have no storage class");
        if (kind_now() == ';' && !is_record(specifiers.type)) {
            if (!is_error(specifiers.type) && specifiers.type->kind != TYPE_ENUM)
                warning(here(), "this declares no member: a name is missing");
            advance();
            continue;
        }
        do parse_member(type, &members, &specifiers);
        while (accept(',') && !panic);
        if (kind_now() == '}' && !panic) warning(behind_last(), "a member ends with `;`; it is missing here");
        else expect(';', "a member ends with `;`");
        if (panic) return;
    }
    expect('}', "the members end with `}`");
    parse_attributes(attributes);
    if (attributes->alignment > type->record->alignment) type->record->alignment = attributes->alignment;
    type->record->size = round_up(members.size, type->record->alignment);
    if (type->record->size > MAX_TYPE_BYTES) {
        error(here(), "this type is too big");
        type->record->size = 8;
    }
    type->record->is_complete = 1;
}

static Type *parse_record(u32 kind)
{
    Specifiers attributes;
    Name *name = 0;
    Tag *tag;
    u32 position = here();
    memset(&attributes, 0, sizeof attributes);
    parse_attributes(&attributes);
    if (kind_now() == T_NAME) {
        name = tok()->u.name;
        position = here();
        advance();
        parse_attributes(&attributes);
    }
    tag = name ? name->tag : 0;
    if (kind_now() == '{' || (kind_now() == ';' && name)) {
        if (!tag || tag->depth != scope_depth) tag = new_tag(name, kind, position);
    } else if (!tag) {
        if (!name) {
            confused(here(), "a name or `{` should follow");
            return &type_error;
        }
        tag = new_tag(name, kind, position);
    }
    if (tag->type->kind != kind) {
        error_about(position, "", name, " is declared as another kind of type");
        return &type_error;
    }
    if (kind_now() != '{') return tag->type;
    advance();
    if (tag->type->record->is_complete) {
        error_about(position, "a second definition of ", name, "");
        tag = new_tag(0, kind, position);
    }
    nest();
    parse_members(tag->type, &attributes);
    nesting--;
    return tag->type;
}

static Type *parse_enum(void)
{
    Specifiers attributes;
    Name *name = 0;
    Tag *tag;
    u32 position = here();
    i64 value = 0, least = 0, most = 0;
    i32 is_huge = 0, any_is_huge = 0; /* more than a long has */
    memset(&attributes, 0, sizeof attributes);
    parse_attributes(&attributes);
    if (kind_now() == T_NAME) {
        name = tok()->u.name;
        advance();
    }
    tag = name ? name->tag : 0;
    if (!tag || (kind_now() == '{' && tag->depth != scope_depth)) tag = new_tag(name, TYPE_ENUM, position);
    if (tag->type->kind != TYPE_ENUM) {
        error_about(position, "", name, " is declared as another kind of type");
        return &type_error;
    }
    if (kind_now() != '{') return tag->type;
    advance();
    if (tag->type->record->is_complete) error_about(position, "a second definition of ", name, "");
    tag->type->record->is_complete = 1;
    if (kind_now() == '}') error(position, "an enum has at least one constant");
    while (kind_now() == T_NAME) {
        Name *constant_name = tok()->u.name;
        Symbol *symbol;
        u32 where = here();
        advance();
        parse_attributes(&attributes);
        if (accept('=')) {
            Node *node = constant_node("the value of an enumeration constant");
            value = node->value;
            is_huge = value < 0 && is_unsigned(node->type);
        }
        if (constant_name->symbol && constant_name->symbol->depth == scope_depth)
            error_about(where, "", constant_name, " is declared already");
        symbol = new_symbol(constant_name, A_CONSTANT, &type_int, where);
        symbol->value = value;
        if (value != (i32)value) symbol->type = value == (u32)value ? &type_uint : &type_long;
        if (is_huge) symbol->type = &type_ulong, any_is_huge = 1;
        else if (value < least) least = value;
        if (value > most) most = value;
        value++;
        if (!accept(',')) break;
    }
    expect('}', "the constants of an enum end with `}`");
    parse_attributes(&attributes);
    if (any_is_huge) tag->type->base = &type_ulong;
    else if (attributes.packed && least >= 0 && most <= 0xff) tag->type->base = &type_uchar;
    else if (attributes.packed && least >= -0x80 && most <= 0x7f) tag->type->base = &type_schar;
    else if (attributes.packed && least >= 0 && most <= 0xffff) tag->type->base = &type_ushort;
    else if (attributes.packed && least >= -0x8000 && most <= 0x7fff) tag->type->base = &type_short;
    else if (most > 0xffffffffLL || least < -0x80000000LL || (least < 0 && most > 0x7fffffff)) tag->type->base = &type_long;
    else if (least < 0) tag->type->base = &type_int;
    return tag->type;
}

/* ---- specifiers ---- */

static Type *basic_type(u32 *counts, u32 position)
{
    u32 is_unsigned_type = counts[K_UNSIGNED - K_TYPES], is_signed = counts[K_SIGNED - K_TYPES];
    u32 longs = counts[K_LONG - K_TYPES];
    if (counts[K_FLOAT - K_TYPES] || counts[K_DOUBLE - K_TYPES] || counts[K_COMPLEX - K_TYPES]) {
        error(position, "there is no floating point here");
        hint("compute with integers in a small unit: cents instead of 0.01, milliseconds instead of seconds");
        return &type_error;
    }
    check_basic_type(counts, position);
    if (counts[K_VOID - K_TYPES]) return &type_void;
    if (counts[K_BOOL - K_TYPES]) return &type_bool;
    if (counts[K_CHAR - K_TYPES]) return is_unsigned_type ? &type_uchar : is_signed ? &type_schar : &type_char;
    if (counts[K_SHORT - K_TYPES]) return is_unsigned_type ? &type_ushort : &type_short;
    if (longs >= 2) return is_unsigned_type ? &type_ullong : &type_llong;
    if (longs) return is_unsigned_type ? &type_ulong : &type_long;
    return is_unsigned_type ? &type_uint : &type_int;
}

static void set_storage(Specifiers *out, u32 kind)
{
    if (out->storage) error(here(), "a declaration has one storage class");
    out->storage = kind;
}

/* The type that a variable gets from an expression of this type. */
static Type *whole_type(Type *type)
{
    return !type->bits ? type : is_unsigned(type) ? &type_ulong : &type_long;
}

static Type *parse_typeof(void)
{
    Type *type;
    expect('(', "typeof is followed by `(`");
    if (starts_type(at_token)) {
        type = parse_type_name();
    } else {
        Node *node = parse_expression();
        type = node->type;
        if (node->kind == N_MEMBER && node->member) error(node->position, "a bit-field has no type for typeof");
    }
    expect(')', "typeof ends with `)`");
    return whole_type(type);
}

/* _Atomic(type): the same as the type. */
static Type *parse_atomic_type(void)
{
    Type *type;
    advance();
    type = parse_type_name();
    if (type->kind == TYPE_ARRAY || type->kind == TYPE_FUNCTION)
        error(here(), "an array or a function cannot be atomic; the elements of an array can");
    expect(')', "_Atomic(type) ends with `)`");
    return type;
}

/* `NAME = value` follows. */
static Type *parse_auto_type(void)
{
    u32 start = at_token, errors = error_count;
    Type *type = &type_error;
    if (kind_now() == T_NAME && kind_after() == '=') {
        advance();
        advance();
        type = whole_type(unqualified(value_of(parse_assignment())->type));
        if (!panic && errors == error_count) at_token = start;
    } else {
        confused(here(), "__auto_type needs a name and its value");
    }
    return type;
}

/* Whether a name stands where only a type makes sense: before another name, or before `*` where no expression can be. */
static i32 names_no_type(void)
{
    return kind_now() == T_NAME && !starts_type(at_token) && (kind_after() == T_NAME || kind_after() == '*');
}

static void parse_specifiers(Specifiers *out)
{
    u32 counts[K_AUTO_TYPE - K_TYPES + 1], qualifiers = 0, basic = 0, restricts = 0, kind;
    memset(out, 0, sizeof *out);
    memset(counts, 0, sizeof counts);
    out->position = here();
    for (;;) {
        kind = kind_now();
        switch (kind) {
        case K_VOID: case K_CHAR: case K_SHORT: case K_INT: case K_LONG: case K_SIGNED: case K_UNSIGNED: case K_BOOL:
        case K_FLOAT: case K_DOUBLE: case K_COMPLEX:
            if (out->type) error(here(), "two types in one declaration; is a `;` missing before?");
            counts[kind - K_TYPES]++;
            basic++;
            advance();
            break;
        case K_STRUCT: case K_UNION: case K_ENUM: case K_TYPEOF:
            if (out->type || basic) error(here(), "two types in one declaration; is a `;` missing before?");
            advance();
            out->type = kind == K_ENUM ? parse_enum()
                      : kind == K_TYPEOF ? parse_typeof()
                                         : parse_record(kind == K_STRUCT ? TYPE_STRUCT : TYPE_UNION);
            break;
        case K_AUTO_TYPE: /* the type of what the variable is set to, which is read ahead */
            advance();
            out->type = parse_auto_type();
            break;
        case K_CONST: qualifiers |= CONST; advance(); break;
        case K_VOLATILE: qualifiers |= VOLATILE; advance(); break;
        case K_RESTRICT: restricts = 1; advance(); break;
        case K_EXTENSION: advance(); break;
        case K_ATOMIC: /* everything is: a Loop runs alone in its memory */
            advance();
            if (kind_now() == '(') out->type = parse_atomic_type();
            break;
        case K_THREAD: out->is_thread = 1; advance(); break; /* the only one */
        case K_TYPEDEF: case K_EXTERN: case K_STATIC: case K_AUTO: case K_REGISTER:
            set_storage(out, kind);
            advance();
            break;
        case K_INLINE:
            if (!out->is_inline) out->is_inline = 1;
            advance();
            break;
        case K_NORETURN: out->is_noreturn = 1; advance(); break;
        case K_ALIGNAS:
            advance();
            expect('(', "_Alignas is followed by `(`");
            {
                u32 position = here();
                i64 alignment = starts_type(at_token) ? alignment_of(parse_type_name()) : constant_expression("an alignment");
                if (alignment) check_alignment(alignment, position, &out->aligned_to);
                if (out->aligned_to > out->alignment) out->alignment = out->aligned_to;
            }
            expect(')', "_Alignas ends with `)`");
            break;
        case K_ATTRIBUTE: parse_attributes(out); break;
        case T_NAME:
            if (!out->type && !basic && tok()->u.name->symbol && tok()->u.name->symbol->kind == A_TYPEDEF) {
                out->type = tok()->u.name->symbol->type;
                out->is_handle = tok()->u.name == name_handle;
                advance();
                break;
            }
            if (!out->type && (name_is(tok()->u.name, "__int128") || name_is(tok()->u.name, "__int128_t") ||
                               name_is(tok()->u.name, "__uint128_t"))) {
                error(here(), "the longest integers have 64 bits; keep two of them");
                counts[K_LONG - K_TYPES] = 1;
                basic++;
                advance();
                break;
            }
            if (!out->type && !basic && names_no_type()) {
                error_about(here(), "", tok()->u.name, " is no type");
                suggest(tok()->u.name);
                new_symbol(tok()->u.name, A_TYPEDEF, &type_error, 0); /* said once is enough */
                out->type = &type_error;
                advance();
                break;
            }
            goto done;
        default: goto done;
        }
        if (panic) break;
    }
done:
    out->has_type = basic || out->type;
    if (!out->type) out->type = basic_type(counts, out->position);
    if (restricts && out->type->kind != TYPE_POINTER) warning(out->position, "restrict says something of pointers only; this is none");
    out->type = attributed(out->type, out);
    if (qualifiers) out->type = qualified(out->type, qualifiers);
}

/* ---- declarators ---- */

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
                if (kind_now() == '(' || kind_now() == P_INCREMENT || kind_now() == P_DECREMENT || level_of(kind_now()) == 2)
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
                    hint("give the array the greatest length that is needed, and keep the number of used elements apart");
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
    if (declarator.name) error_about(declarator.position, "a type without a name should stand here, not ", declarator.name, "");
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
