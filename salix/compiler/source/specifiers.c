/* The words before a declarator: types, qualifiers, storage; typeof and __auto_type. */

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
                i64 alignment =
                    starts_type(at_token) ? alignment_of(parse_type_name()) : constant_expression("an alignment");
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
    if (restricts && out->type->kind != TYPE_POINTER)
        warning(out->position, "restrict says something of pointers only; this is none");
    out->type = attributed(out->type, out);
    if (qualifiers) out->type = qualified(out->type, qualifiers);
}
