/* Types, and what a name means in a scope. */

enum {
    TYPE_ERROR, /* of what is wrong already: it agrees with everything, silently */
    TYPE_VOID,
    TYPE_BOOL,
    TYPE_CHAR,
    TYPE_SCHAR,
    TYPE_UCHAR,
    TYPE_SHORT,
    TYPE_USHORT,
    TYPE_INT,
    TYPE_UINT,
    TYPE_LONG,
    TYPE_ULONG,
    TYPE_LLONG,
    TYPE_ULLONG,
    TYPE_ENUM,
    TYPE_POINTER,
    TYPE_ARRAY,
    TYPE_FUNCTION,
    TYPE_STRUCT,
    TYPE_UNION
};

#define MAX_TYPE_BYTES (1LL << 56)   /* of a type; offsets in bits are numbers, too */
#define MAX_OBJECT_BYTES (1LL << 26) /* of an object that has a place in memory */

enum { CONST = 1, VOLATILE = 2 };

typedef struct Type Type;

typedef struct Member {
    struct Member *next;
    Name *name; /* 0: an anonymous struct or union, or padding */
    Type *type;
    i64 offset;
    u8 is_bit_field;
    u8 bit_width;
    u8 bit_offset; /* from the lowest bit of the unit at `offset` */
    u8 unit_bytes;
    u32 alignment; /* asked for by an attribute or _Alignas; else 0 */
} Member;

typedef struct {
    Tag *tag;
    Member *members;
    i64 size;
    u32 alignment;
    u8 is_complete;
    u8 is_flexible; /* ends with an array without a length */
    Type *element;  /* of a vector; else 0 */
} Record;

typedef struct Parameter {
    struct Parameter *next;
    Name *name;
    Type *type;
    Type *declared; /* narrower than what is passed: of a K&R definition; or 0 */
    u32 length; /* token at which an array's length starts that is computed when the function starts; or 0 */
    u32 position;
} Parameter;

struct Type {
    u8 kind;
    u8 qualifiers;
    u8 is_variadic;
    u8 is_prototype; /* else a function whose parameters are not said */
    u8 bits;         /* of a number that was computed of bit-fields of 33 to 63 bits; else 0 */
    u32 alignment;   /* asked for, more than the kind's; else 0 */
    Type *base;      /* of pointers and arrays; what a function returns */
    i64 count;       /* of an array's elements; -1: not known yet */
    Record *record;  /* of structs, unions and enums (complete or not) */
    Parameter *parameters;
    Name *old_names; /* the first of a K&R definition: it has names, no types */
    u32 old_count;
    Type *pointer; /* to this, if there was one before */
    Type *plain;   /* this without qualifiers */
    Type *origin;  /* of which this is the plain one */
};

struct Tag {
    Name *name;
    Tag *shadowed;
    Type *type;
    u32 depth;
};

enum { A_VARIABLE, A_FUNCTION, A_TYPEDEF, A_CONSTANT };
enum { SECTION_NONE, SECTION_RODATA, SECTION_DATA, SECTION_BSS };

/* An address in initial data: `symbol` + what stands there. */
typedef struct Relocation {
    struct Relocation *next;
    Symbol *symbol;
    u32 offset;
} Relocation;

struct Symbol {
    Symbol *next; /* all symbols that become something in the object, in their order */
    Name *name;
    Type *type;
    u32 position;
    u32 called_at; /* the first place where a function is called that is not defined so far; 0: nowhere */
    Symbol *next_called;
    Name *alias; /* of what this is another name; or 0 */
    Symbol *next_alias;
    u32 depth; /* of its scope; 0: the file's */
    u8 kind;
    u8 is_local; /* lives in the frame or in a register */
    u8 is_static;
    u8 is_extern; /* declared so far, not defined */
    u8 is_defined;
    u8 is_used;
    u8 is_implicit; /* declared by nothing but a call */
    u8 is_weak;
    u8 address_taken;
    u8 is_string;
    u8 is_temporary; /* what an operator makes: its place is used again after the statement */
    u8 is_inline; /* or always_inline: 2; noinline: 3 */
    u8 is_noreturn;
    u8 is_register; /* called so */
    u8 gives_handle;
    u8 in_object;
    u8 needs_chain; /* a nested function: it sees locals of the one around it */
    u8 is_chained;  /* ... and there are pointers to it that hold its chain */
    u8 is_reached, is_dropped; /* whether something refers to it; if not, it is left out */
    struct Symbol *next_reached;
    u8 section;
    u32 alignment;
    i64 more_bytes; /* than its type has: of a flexible array that is initialised */
    i64 value; /* of a constant; a local's offset from the end of the frame; a static's in its section */
    i32 vreg;  /* of a local that lives in a register, from 1 on */
    u8 *data;  /* initial bytes; 0: zeros */
    Relocation *relocations;
    const char *section_name; /* of a function, as its attribute says */
    u32 section_name_length;
    u32 pointer_number; /* what pointers to this function are, from 1 on; 0: there are none */
    struct Function *function;
    u32 index;      /* among those that I_GLOBAL names */
    u32 elf_number; /* in the object's symbol table */
};

static Type type_error = {TYPE_ERROR}, type_void = {TYPE_VOID}, type_bool = {TYPE_BOOL}, type_char = {TYPE_CHAR};
static Type type_schar = {TYPE_SCHAR}, type_uchar = {TYPE_UCHAR}, type_short = {TYPE_SHORT};
static Type type_ushort = {TYPE_USHORT}, type_int = {TYPE_INT}, type_uint = {TYPE_UINT}, type_long = {TYPE_LONG};
static Type type_ulong = {TYPE_ULONG}, type_llong = {TYPE_LLONG}, type_ullong = {TYPE_ULLONG};

static i32 is_integer(const Type *type)
{
    return type->kind >= TYPE_BOOL && type->kind <= TYPE_ENUM;
}

static i32 is_record(const Type *type)
{
    return type->kind == TYPE_STRUCT || type->kind == TYPE_UNION;
}

static i32 is_vector(const Type *type)
{
    return type->kind == TYPE_STRUCT && type->record->element;
}

static i32 is_scalar(const Type *type)
{
    return is_integer(type) || type->kind == TYPE_POINTER;
}

static i32 is_error(const Type *type)
{
    return type->kind == TYPE_ERROR;
}

static i32 is_complete(const Type *type)
{
    if (is_record(type) || type->kind == TYPE_ENUM) return type->record->is_complete;
    if (type->kind == TYPE_ARRAY) return type->count >= 0 && is_complete(type->base);
    return type->kind != TYPE_VOID && type->kind != TYPE_FUNCTION;
}

static i32 is_unsigned(const Type *type)
{
    switch (type->kind) {
    case TYPE_BOOL: case TYPE_UCHAR: case TYPE_USHORT: case TYPE_UINT: case TYPE_ULONG: case TYPE_ULLONG:
    case TYPE_POINTER: case TYPE_ARRAY: case TYPE_FUNCTION: return 1;
    case TYPE_ENUM: return is_unsigned(type->base);
    default: return 0;
    }
}

static i64 size_of(const Type *type)
{
    switch (type->kind) {
    case TYPE_BOOL: case TYPE_CHAR: case TYPE_SCHAR: case TYPE_UCHAR: return 1;
    case TYPE_SHORT: case TYPE_USHORT: return 2;
    case TYPE_INT: case TYPE_UINT: case TYPE_ERROR: return 4;
    case TYPE_ENUM: return size_of(type->base);
    case TYPE_LONG: case TYPE_ULONG: case TYPE_LLONG: case TYPE_ULLONG: case TYPE_POINTER: return 8;
    case TYPE_ARRAY: return type->count < 0 ? 0 : type->count * size_of(type->base);
    case TYPE_STRUCT: case TYPE_UNION: return type->record->size;
    default: return 1;
    }
}

static u32 alignment_of(const Type *type)
{
    u32 natural;
    if (type->kind == TYPE_ARRAY) natural = alignment_of(type->base);
    else if (is_record(type)) natural = type->record->alignment ? type->record->alignment : 1;
    else if (type->kind == TYPE_VOID || type->kind == TYPE_FUNCTION) natural = 1;
    else natural = (u32)size_of(type);
    return type->alignment ? type->alignment : natural;
}

static Type *new_type(u32 kind)
{
    Type *type = keep(sizeof *type);
    type->kind = (u8)kind;
    return type;
}

static Type *pointer_to(Type *base)
{
    Type *type;
    if (is_error(base)) return base;
    if (base->pointer && base->pointer->base == base) return base->pointer; /* else it was copied from another type */
    type = new_type(TYPE_POINTER);
    type->base = base;
    base->pointer = type;
    return type;
}

static Type *array_of(Type *base, i64 count)
{
    Type *type;
    if (is_error(base)) return base;
    type = new_type(TYPE_ARRAY);
    type->base = base;
    type->count = count;
    return type;
}

static Type *qualified(Type *type, u32 qualifiers)
{
    Type *copy;
    if ((type->qualifiers | qualifiers) == type->qualifiers) return type;
    copy = new_type(type->kind);
    *copy = *type;
    if (type->kind == TYPE_ARRAY)
        copy->base = qualified(type->base, qualifiers);
    copy->qualifiers |= (u8)qualifiers;
    return copy;
}

static Type *unqualified(Type *type)
{
    Type *copy;
    if (!type->qualifiers || type->kind == TYPE_ARRAY) return type;
    if (type->plain && type->plain->origin == type) return type->plain;
    copy = new_type(type->kind);
    *copy = *type;
    copy->qualifiers = 0;
    copy->origin = type;
    type->plain = copy;
    return copy;
}

/* Whether something of this type must not be assigned to. */
static i32 is_const(const Type *type)
{
    if (type->kind == TYPE_ARRAY) return (type->qualifiers & CONST) || is_const(type->base);
    return type->qualifiers & CONST;
}

static i32 is_volatile(const Type *type)
{
    return type->qualifiers & VOLATILE;
}

/* Whether two types are compatible, their own qualifiers left aside; those of what they point to count. */
static i32 same_type(const Type *a, const Type *b)
{
    if (a == b || is_error(a) || is_error(b)) return 1;
    if (a->kind != b->kind) {
        if (a->kind == TYPE_ENUM) return same_type(a->base, b);
        if (b->kind == TYPE_ENUM) return same_type(a, b->base);
        return 0;
    }
    switch (a->kind) {
    case TYPE_POINTER: return a->base->qualifiers == b->base->qualifiers && same_type(a->base, b->base);
    case TYPE_ARRAY: return (a->count < 0 || b->count < 0 || a->count == b->count) && same_type(a->base, b->base);
    case TYPE_ENUM: case TYPE_STRUCT: case TYPE_UNION: return a->record == b->record;
    case TYPE_FUNCTION: {
        const Parameter *p = a->parameters, *q = b->parameters;
        if (!same_type(a->base, b->base)) return 0;
        if (!a->is_prototype || !b->is_prototype) return 1;
        if (a->is_variadic != b->is_variadic) return 0;
        for (; p && q; p = p->next, q = q->next)
            if (!same_type(p->type, q->type)) return 0;
        return p == q;
    }
    default: return 1;
    }
}

static void say_plain_type(const Type *type, u32 depth)
{
    static const char kinds[TYPE_ENUM][20] = {
        "error", "void", "_Bool", "char", "signed char", "unsigned char", "short", "unsigned short", "int",
        "unsigned int", "long", "unsigned long", "long long", "unsigned long long"};
    if (type->qualifiers & CONST && type->kind != TYPE_POINTER) say("const ");
    if (depth > 8) {
        say("...");
    } else if (type->kind < TYPE_ENUM) {
        say(kinds[type->kind]);
    } else if (type->kind == TYPE_POINTER) {
        say_plain_type(type->base, depth + 1);
        say(" *");
        if (type->qualifiers & CONST) say("const");
    } else if (type->kind == TYPE_ARRAY) {
        say_plain_type(type->base, depth + 1);
        say(" [");
        if (type->count >= 0) say_number(type->count);
        say("]");
    } else if (type->kind == TYPE_FUNCTION) {
        const Parameter *parameter;
        say_plain_type(type->base, depth + 1);
        say(" (");
        for (parameter = type->parameters; parameter; parameter = parameter->next) {
            say_plain_type(parameter->type, depth + 1);
            if (parameter->next) say(", ");
        }
        say(")");
    } else if (is_vector(type)) {
        say("vector of ");
        say_number(type->record->size / size_of(type->record->element));
        say(" ");
        say_plain_type(type->record->element, depth + 1);
    } else {
        say(type->kind == TYPE_STRUCT ? "struct " : type->kind == TYPE_UNION ? "union " : "enum ");
        if (type->record->tag && type->record->tag->name)
            say_text(type->record->tag->name->text, type->record->tag->name->length);
        else
            say("without a name");
    }
}

static void say_type(const Type *type)
{
    say("`");
    say_plain_type(type, 0);
    say("`");
}

/* ---- scopes ---- */

#define MAX_SCOPED 8000
#define MAX_DEPTH 200
/* What a name means in a scope, and what it meant before. */
typedef struct {
    Name *name; /* 0: it is a tag */
    Symbol *before;
    Symbol *symbol;
    Tag *tag;
} Scoped;

static Scoped scoped[MAX_SCOPED];
static u32 scoped_count;
static u32 scope_starts[MAX_DEPTH];
static u32 scope_depth;
static Symbol *first_symbol, *last_symbol;

static void open_scope(u32 position)
{
    if (scope_depth + 1 >= MAX_DEPTH)
        fatal(position, "blocks are nested too deeply; put the inner ones into functions");
    scope_starts[scope_depth++] = scoped_count;
}

static void warn_unused(const Symbol *symbol)
{
    if (error_count == 0 && symbol->kind == A_VARIABLE && symbol->is_local && !symbol->is_used && symbol->name &&
        symbol->position)
        warning_about(symbol->position, "the variable ", symbol->name, " is never used");
}

static void close_scope(void)
{
    u32 start = scope_starts[--scope_depth];
    while (scoped_count > start) {
        Scoped *last = &scoped[--scoped_count];
        if (last->name) {
            last->name->symbol = last->before;
            warn_unused(last->symbol);
        } else {
            last->tag->name->tag = last->tag->shadowed;
        }
    }
}

static Scoped *new_scoped(u32 position)
{
    if (scoped_count >= MAX_SCOPED) fatal(position, "too many names are declared");
    memset(&scoped[scoped_count], 0, sizeof *scoped);
    return &scoped[scoped_count++];
}

/* `name` means `symbol` until the current scope ends. */
static void bind(Name *name, Symbol *symbol)
{
    if (scope_depth) {
        Scoped *one = new_scoped(symbol->position);
        one->name = name;
        one->before = name->symbol;
        one->symbol = symbol;
    } else {
        name->global = symbol;
    }
    name->symbol = symbol;
}

/* A new meaning of `name` in the current scope; without a name it is only a place for things. */
static Symbol *new_symbol(Name *name, u32 kind, Type *type, u32 position)
{
    Symbol *symbol = keep(sizeof *symbol);
    symbol->name = name;
    symbol->kind = (u8)kind;
    symbol->type = type;
    symbol->position = position;
    symbol->depth = scope_depth;
    if (name) bind(name, symbol);
    return symbol;
}

/* Adds a function or a static variable to what the object will hold. */
static void put_in_object(Symbol *symbol)
{
    if (symbol->in_object) return;
    symbol->in_object = 1;
    if (last_symbol) last_symbol->next = symbol;
    else first_symbol = symbol;
    last_symbol = symbol;
}

static Tag *new_tag(Name *name, u32 kind, u32 position)
{
    Tag *tag = keep(sizeof *tag);
    tag->name = name;
    tag->type = new_type(kind);
    tag->type->record = keep(sizeof(Record));
    tag->type->record->tag = tag;
    tag->depth = scope_depth;
    if (kind == TYPE_ENUM) tag->type->base = &type_uint;
    if (name) {
        tag->shadowed = name->tag;
        name->tag = tag;
        if (scope_depth) new_scoped(position)->tag = tag;
    }
    return tag;
}

/* Finds a member, also one of an anonymous member; adds up the offset. */
static Member *find_member(const Type *type, const Name *name, i64 *offset)
{
    Member *member, *inner;
    for (member = type->record->members; member; member = member->next) {
        if (member->name == name && name) {
            *offset += member->offset;
            return member;
        }
        if (!member->name && is_record(member->type)) {
            *offset += member->offset;
            inner = find_member(member->type, name, offset);
            if (inner) return inner;
            *offset -= member->offset;
        }
    }
    return 0;
}
