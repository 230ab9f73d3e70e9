/* Numbers, characters and strings as they are written to what they mean. */

enum { SUFFIX_UNSIGNED = 1, SUFFIX_LONG = 2, SUFFIX_LONG_LONG = 4, NOT_DECIMAL = 8 };

static u32 digit_value(char c)
{
    if (is_digit(c)) return (u32)(c - '0');
    if (c >= 'a' && c <= 'f') return (u32)(c - 'a' + 10);
    if (c >= 'A' && c <= 'F') return (u32)(c - 'A' + 10);
    return 99;
}

/* The number that starts at `at`, and its suffix. */
static i64 parse_integer(const char *at, u32 position, u32 *suffix)
{
    const char *start = at, *end = end_of_number(at);
    u32 base = 10, overflow = 0, i;
    u64 value = 0;
    *suffix = 0;
    if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) base = 16, at += 2;
    else if (at[0] == '0' && (at[1] == 'b' || at[1] == 'B')) base = 2, at += 2;
    else if (at[0] == '0') base = 8;
    if (base != 10) *suffix = NOT_DECIMAL;
    for (; at < end && (digit_value(*at) < base || (base < 10 && is_digit(*at))); at++) {
        if (digit_value(*at) >= base) break;
        if (value > (~0ULL - digit_value(*at)) / base) overflow = 1;
        value = value * base + digit_value(*at);
    }
    if (at < end && (*at == '.' || ((*at == 'e' || *at == 'E') && base != 16) || *at == 'p' || *at == 'P' ||
                     ((*at == 'f' || *at == 'F') && base == 10))) {
        error(position, "there is no floating point here");
        hint("compute with integers in a small unit: cents instead of 0.01, milliseconds instead of seconds");
        return 0;
    }
    for (i = 0; at < end && i < 4; i++) {
        if ((*at == 'u' || *at == 'U') && !(*suffix & SUFFIX_UNSIGNED)) {
            *suffix |= SUFFIX_UNSIGNED;
            at++;
        } else if ((*at == 'l' || *at == 'L') && !(*suffix & (SUFFIX_LONG | SUFFIX_LONG_LONG))) {
            *suffix |= at[1] == *at ? SUFFIX_LONG_LONG : SUFFIX_LONG;
            at += at[1] == *at ? 2 : 1;
        } else {
            break;
        }
    }
    if (at != end || (base != 10 && base != 8 && end - start < 3)) {
        begin_error(position);
        say("`");
        say_text(start, (u32)(end - start > 60 ? 60 : end - start));
        say("` is no number");
        end_message();
    }
    if (overflow) error(position, "this number does not fit 64 bits");
    return (i64)value;
}

static Node *number_node(const Token *token)
{
    u32 suffix;
    i64 value = parse_integer(token->u.spelling, token->position, &suffix);
    i32 may_be_unsigned = (suffix & (SUFFIX_UNSIGNED | NOT_DECIMAL)) != 0, is_long;
    Type *type;
    is_long = (suffix & (SUFFIX_LONG | SUFFIX_LONG_LONG)) != 0 || (u64)value > 0xffffffffULL;
    if (!is_long && value > 0x7fffffff && !may_be_unsigned) is_long = 1;
    if (!is_long)
        type = (suffix & SUFFIX_UNSIGNED) || value > 0x7fffffff ? &type_uint : &type_int;
    else if ((suffix & SUFFIX_UNSIGNED) || (value < 0 && may_be_unsigned))
        type = suffix & SUFFIX_LONG_LONG ? &type_ullong : &type_ulong;
    else
        type = suffix & SUFFIX_LONG_LONG ? &type_llong : &type_long;
    if (value < 0 && !may_be_unsigned) {
        warning(token->position, "this number is too big for a signed type; write it with the suffix u");
        type = &type_ulong;
    }
    return constant(value, type, token->position);
}

/* Whether \u may name this character (C11 6.4.3). */
static i32 is_universal(u32 value)
{
    if (value < 0xa0) return value == '$' || value == '@' || value == '`';
    return value <= 0x10ffff && !(value >= 0xd800 && value < 0xe000);
}

/* The character that \u or \U names; *at is behind the backslash, and moves on. */
static u32 escaped_character(const char **at, u32 position)
{
    const char *p = *at + 1;
    u32 length = **at == 'u' ? 4 : 8, value = 0, digits = 0;
    for (; digits < length && digit_value(*p) < 16; digits++) value = value * 16 + digit_value(*p++);
    if (skipping) { /* anything may stand there */
    } else if (digits != length) {
        error(position, "\\u needs four hexadecimal digits, \\U eight");
    } else if (!is_universal(value)) {
        error(position, "this \\u names no character that may be written so");
    }
    *at = p;
    return value;
}

/* The character at *at, which moves on. `unit`: bytes of an element; bytes above 127 of a char are taken one by one. */
static u32 one_character(const char **at, u32 unit, u32 position, u8 *is_byte)
{
    const char *p = *at;
    u32 value, digits = 0, length;
    *is_byte = 1;
    if (*p != '\\') {
        length = utf8_length((const u8 *)p, 4);
        if (unit == 1 || length < 2) {
            *at = p + 1;
            return (u8)*p;
        }
        value = (u8)*p & (0x7fu >> length);
        for (digits = 1; digits < length; digits++) value = value << 6 | ((u8)p[digits] & 0x3f);
        *at = p + length;
        return value;
    }
    p++;
    if (*p >= '0' && *p <= '7') {
        for (value = 0; digits < 3 && *p >= '0' && *p <= '7'; digits++) value = value * 8 + digit_value(*p++);
        *at = p;
        return value;
    }
    if (*p == 'x') {
        for (value = 0, p++; digit_value(*p) < 16; digits++) value = value * 16 + digit_value(*p++);
        if (digits == 0) error(position, "\\x needs hexadecimal digits");
        *at = p;
        return value;
    }
    if (*p == 'u' || *p == 'U') {
        *is_byte = 0;
        *at = p;
        return escaped_character(at, position);
    }
    *at = p + 1;
    switch (*p) {
    case 'n': return '\n';
    case 't': return '\t';
    case 'r': return '\r';
    case 'a': return 7;
    case 'b': return 8;
    case 'f': return 12;
    case 'v': return 11;
    case 'e': return 27;
    case '\\': case '\'': case '"': case '?': return (u8)*p;
    default:
        if (begin_warning(position)) {
            say("there is no escape sequence \\");
            say_text(p, 1);
            say("; to write a backslash, write two");
            end_message();
        }
        return (u8)*p;
    }
}

static u32 unit_of_prefix(const char **at)
{
    u32 unit = 1;
    if (**at == 'L' || **at == 'U') unit = 4;
    if (**at == 'u' && (*at)[1] != '8') unit = 2;
    while (**at != '"' && **at != '\'') (*at)++;
    return unit;
}

static i64 character_value(const char *at, u32 position)
{
    u32 unit = unit_of_prefix(&at), count = 0;
    u64 value = 0;
    u8 is_byte;
    at++;
    while (*at != '\'') {
        u32 one = one_character(&at, unit, position, &is_byte);
        value = unit == 1 ? value << 8 | (one & 0xff) : one;
        count++;
    }
    if (count == 0) error(position, "an empty character constant");
    if (count > 1) warning(position, "a character constant of several characters; for text write \"...\"");
    if (unit == 1) return count == 1 ? (signed char)value : (i32)value;
    return (i64)value;
}

static Node *character_node(const Token *token)
{
    Type *type = token->u.spelling[0] == 'u' ? &type_ushort : token->u.spelling[0] == 'U' ? &type_uint : &type_int;
    return constant(character_value(token->u.spelling, token->position), type, token->position);
}

static void put_element(u8 *to, u32 unit, u32 value)
{
    u32 i;
    for (i = 0; i < unit; i++) to[i] = (u8)(value >> (8 * i));
}

/* Joins `count` string tokens. A symbol in .rodata whose data they are, its type an array. */
static Symbol *string_symbol(const Token *token, u32 count)
{
    u32 unit = 1, size = 0, used = 0, i;
    const char *at;
    u8 *data;
    u8 is_byte;
    Symbol *symbol;
    Type *element;
    for (i = 0; i < count; i++) {
        u32 found;
        at = token[i].u.spelling;
        found = unit_of_prefix(&at);
        if (found > unit) unit = found;
        size += spelling(&token[i], &at);
    }
    data = keep(((u64)size + 1) * unit);
    for (i = 0; i < count; i++) {
        const char *end;
        at = token[i].u.spelling;
        end = end_of_quoted(at) - 1;
        unit_of_prefix(&at);
        at++;
        while (at < end) {
            u32 value = one_character(&at, unit, token[i].position, &is_byte);
            if (unit == 1 && !is_byte) { /* \u in a char string: UTF-8 */
                used += put_utf8(data + used, value);
                continue;
            }
            if (unit == 2 && value > 0xffff) {
                value -= 0x10000;
                put_element(data + 2 * used++, 2, 0xd800 | value >> 10);
                value = 0xdc00 | (value & 0x3ff);
            }
            put_element(data + (u64)unit * used++, unit, value);
        }
    }
    element = unit == 1 ? &type_char : unit == 2 ? &type_ushort : &type_int;
    symbol = new_symbol(0, A_VARIABLE, array_of(element, (i64)used + 1), token->position);
    symbol->is_static = symbol->is_defined = symbol->is_string = 1;
    symbol->section = SECTION_RODATA;
    symbol->alignment = unit;
    symbol->data = data;
    return symbol;
}
