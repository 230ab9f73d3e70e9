/* Typed expressions, and what can be computed of them while they are built. */

enum {
    N_CONST,
    N_SYMBOL,
    N_DEREF,
    N_MEMBER, /* of a; at offset `value`; `member` if it is a bit-field */
    N_ADDRESS,
    N_CAST,
    N_NEGATE,
    N_COMPLEMENT,
    N_NOT,
    N_BINARY,
    N_AND_AND,
    N_OR_OR,
    N_CONDITIONAL,
    N_COMMA,
    N_ASSIGN,
    N_UPDATE,  /* a = a `op` b, computed in `computed`; pointers: b is scaled */
    N_POSTFIX, /* the same, but the value is that of a before */
    N_CALL,
    N_STATEMENTS, /* ({ ... }) */
    N_COMPOUND,   /* (type){ ... }: a sets it up, `symbol` is the object */
    N_BUILTIN,
    /* statements */
    S_EXPRESSION,
    S_BLOCK,
    S_IF,
    S_LOOP,   /* a: before; b: condition or 0; c: after each round; d: body. `op`: the condition is tested last */
    S_SWITCH, /* b: value; d: body; `cases` */
    S_CASE,
    S_LABEL,
    S_GOTO,
    S_BREAK,
    S_CONTINUE,
    S_RETURN,
    S_ZERO /* fill the local `symbol` with zeros */
};

enum {
    OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD, OP_AND, OP_OR, OP_XOR, OP_SHL, OP_SHR,
    OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE
};

enum { FROM_SOURCE = 1 }; /* `op` of an S_EXPRESSION that is not made for an initialiser */

enum { BUILTIN_TRAP, BUILTIN_BSWAP, BUILTIN_FRAME }; /* the last: the end of this function's frame */

typedef struct Node Node;
struct Node {
    u8 kind;
    u8 op;
    u8 is_lvalue_copy;
    u8 parenthesised;
    u8 is_value; /* though it looks like an lvalue */
    u32 position;
    Type *type;
    Type *computed;
    Node *a, *b, *c, *d;
    Node *next;
    i64 value;
    i64 last_value; /* of a range of cases; of a member, the alignment that it asks for */
    Symbol *symbol;
    Member *member;
    struct LabelUse *label;
    i32 target; /* label number, set by lowering */
};

typedef struct LabelUse {
    struct LabelUse *next;
    Name *name;
    u32 position;
    u8 is_defined;
    u8 is_used;
    u8 is_declared; /* with __label__, for a block and the functions in it */
    u8 is_hidden;   /* while a function inside is read */
    u8 is_remote;   /* functions inside go to it */
    u32 depth;      /* of the block that declares it */
    i32 target;
    i64 address; /* the number that &&label is, from 1 on; 0: it is not taken */
    struct Nest *nest;         /* the function whose label it is */
    Node *cleanups;            /* of the blocks that it stands in */
    struct LabelUse *shadowed; /* what the name was before */
    struct LabelUse *next_declared;
} LabelUse;

static Node *new_node(u32 kind, Type *type, u32 position)
{
    Node *node = scratch(sizeof *node);
    node->kind = (u8)kind;
    node->type = type;
    node->position = position;
    return node;
}

static Node *constant(i64 value, Type *type, u32 position)
{
    Node *node = new_node(N_CONST, type, position);
    node->value = value;
    return node;
}

static Node *error_node(u32 position)
{
    return constant(0, &type_error, position);
}

static Node *symbol_node(Symbol *symbol, u32 position)
{
    Node *node = new_node(N_SYMBOL, symbol->type, position);
    node->symbol = symbol;
    symbol->is_used = 1;
    return node;
}

static Node *pair(u32 kind, Type *type, Node *a, Node *b)
{
    Node *node = new_node(kind, type, a->position);
    node->a = a;
    node->b = b;
    return node;
}

/* `value` as it is after conversion to an integer or pointer type. */
static i64 fit(i64 value, const Type *type)
{
    i64 size = size_of(type);
    if (type->kind == TYPE_BOOL) return value != 0;
    if (type->bits) value = (i64)((u64)value << (64 - type->bits));
    if (type->bits) return is_unsigned(type) ? (i64)((u64)value >> (64 - type->bits)) : value >> (64 - type->bits);
    if (is_unsigned(type)) {
        if (size == 1) return (u8)value;
        if (size == 2) return (u16)value;
        if (size == 4) return (u32)value;
        return value;
    }
    if (size == 1) return (signed char)value;
    if (size == 2) return (short)value;
    if (size == 4) return (i32)value;
    return value;
}

static i32 is_lvalue(const Node *node)
{
    if (node->is_value) return 0;
    switch (node->kind) {
    case N_SYMBOL: return node->symbol->kind == A_VARIABLE;
    case N_DEREF: return 1;
    case N_COMPOUND: return 1;
    case N_MEMBER: return is_lvalue(node->a);
    default: return 0;
    }
}

/* `node` as a value that has no place. */
static Node *no_lvalue(Node *node)
{
    Node *copy;
    if (!is_lvalue(node)) return node;
    copy = new_node(node->kind, node->type, node->position);
    *copy = *node;
    copy->is_value = 1;
    return copy;
}

static Node *address_of(Node *node)
{
    Node *result, *root;
    i64 offset = 0;
    Type *type = pointer_to(node->type);
    if (node->kind == N_DEREF) { /* the pointer, as one to this very type */
        result = node->a;
        if (result->kind == N_CONST) return constant(result->value, type, node->position);
        if (result->type->kind == TYPE_POINTER && result->type->base == node->type) return result;
        return pair(N_CAST, type, result, 0);
    }
    for (root = node; root->kind == N_MEMBER; root = root->a) offset += root->value;
    if (root->kind == N_DEREF && root->a->kind == N_CONST)
        return constant(root->a->value + offset, type, node->position);
    if (root->kind == N_SYMBOL) {
        root->symbol->address_taken = 1;
        root->symbol->is_used = 1;
    }
    return pair(N_ADDRESS, type, node, 0);
}

/* Arrays become pointers to their first element, functions pointers to themselves. */
static Node *decay(Node *node)
{
    if (node->type->kind == TYPE_ARRAY) {
        Node *result = address_of(node);
        Type *element = node->type->base;
        if (result->kind == N_CONST || result == node->a) {
            Node *copy = new_node(result->kind, result->type, node->position);
            *copy = *result;
            result = copy;
        }
        result->type = pointer_to(element);
        return result;
    }
    if (node->type->kind == TYPE_FUNCTION) return address_of(node);
    return node;
}

/* The value as an operand: decayed, without qualifiers. */
static Node *value_of(Node *node)
{
    node = decay(node);
    if (node->type->qualifiers) {
        Node *copy = new_node(node->kind, node->type, node->position);
        if (node->kind == N_SYMBOL || node->kind == N_DEREF || node->kind == N_MEMBER) {
            *copy = *node;
            copy->type = unqualified(node->type);
            copy->is_lvalue_copy = (u8)(node->is_lvalue_copy | (node->type->qualifiers & VOLATILE));
            return copy;
        }
    }
    return node;
}

/* `node`, decayed, converted to `type` without any complaint. */
static Node *convert(Node *node, Type *type)
{
    Node *result;
    if (is_error(node->type) || is_error(type))
        return constant(0, type->kind == TYPE_VOID ? &type_error : type, node->position);
    if (type->kind == node->type->kind && type->kind != TYPE_POINTER && type->kind != TYPE_ENUM &&
        type->bits == node->type->bits && !(node->kind == N_MEMBER && node->member))
        return node;
    if (node->kind == N_CONST && is_scalar(type)) return constant(fit(node->value, type), type, node->position);
    if (type->kind == TYPE_VOID || is_scalar(type)) {
        result = pair(N_CAST, type, node, 0);
        return result;
    }
    return node;
}

static Type *promoted(Type *type)
{
    if (type->kind == TYPE_ENUM) type = type->base;
    if (is_integer(type) && size_of(type) < 4) return &type_int;
    return unqualified(type);
}

/* The bit-field whose value this is: its own, or after it was changed. 0: it is none. */
static Member *bit_field_of(const Node *node)
{
    if (node->kind == N_ASSIGN || node->kind == N_UPDATE || node->kind == N_POSTFIX) node = node->a;
    return node->kind == N_MEMBER ? node->member : 0;
}

/* The type of what is computed of a bit-field of so many bits, as GNU compilers have it: what is beyond is cut off. */
static Type *type_of_bits(u32 bits, i32 natural)
{
    static Type *types[2][64];
    Type **type = &types[natural != 0][bits];
    if (!*type) {
        *type = new_type(natural ? TYPE_ULONG : TYPE_LONG);
        (*type)->bits = (u8)bits;
    }
    return *type;
}

static Node *promote(Node *node)
{
    Member *member = bit_field_of(node);
    if (member && member->bit_width > 32 && member->bit_width < 64)
        return convert(node, type_of_bits(member->bit_width, is_unsigned(node->type)));
    if (member && member->bit_width < 32) return convert(node, &type_int);
    if (member && member->bit_width == 32 && size_of(node->type) == 4)
        return convert(node, is_unsigned(node->type) ? &type_uint : &type_int);
    return is_integer(node->type) ? convert(node, promoted(node->type)) : node;
}

/* The type in which two promoted integers meet (C11 6.3.1.8). */
static Type *common_type(Type *a, Type *b)
{
    u32 kind = a->kind > b->kind ? a->kind : b->kind;
    Type *wider = a->kind > b->kind ? a : b, *other = a->kind > b->kind ? b : a;
    if (is_error(a) || is_error(b)) return &type_error;
    if (a->bits || b->bits) {
        i64 bits_a = a->bits ? a->bits : size_of(a) * 8, bits_b = b->bits ? b->bits : size_of(b) * 8;
        if (bits_a == bits_b) return is_unsigned(a) ? a : b;
        return bits_a > bits_b ? a : b;
    }
    if (is_unsigned(other) && !is_unsigned(wider) && size_of(other) == size_of(wider))
        return kind >= TYPE_LLONG ? &type_ullong : &type_ulong;
    return wider;
}

static i64 fold(u32 op, i64 left, i64 right, const Type *type)
{
    u64 a = (u64)left, b = (u64)right;
    i32 natural = is_unsigned(type), bits = size_of(type) == 8 ? 63 : 31;
    switch (op) {
    case OP_ADD: return (i64)(a + b);
    case OP_SUB: return (i64)(a - b);
    case OP_MUL: return (i64)(a * b);
    case OP_DIV:
        if (natural) return (i64)(a / b);
        return right == -1 ? (i64)(0 - a) : left / right;
    case OP_MOD:
        if (natural) return (i64)(a % b);
        return right == -1 ? 0 : left % right;
    case OP_AND: return left & right;
    case OP_OR: return left | right;
    case OP_XOR: return left ^ right;
    case OP_SHL: return (i64)(a << (right & bits));
    case OP_SHR: return natural ? (i64)(a >> (right & bits)) : left >> (right & bits);
    case OP_EQ: return left == right;
    case OP_NE: return left != right;
    case OP_LT: return natural ? a < b : left < right;
    case OP_LE: return natural ? a <= b : left <= right;
    case OP_GT: return natural ? a > b : left > right;
    default: return natural ? a >= b : left >= right;
    }
}

/* a `op` b; both have the type in which it is computed (shifts: a has). */
static Node *operation(u32 op, Node *a, Node *b, Type *type, u32 position)
{
    Node *node;
    if (a->kind == N_CONST && b->kind == N_CONST && !((op == OP_DIV || op == OP_MOD) && b->value == 0))
        return constant(fit(fold(op, a->value, b->value, a->type), type), type, position);
    if (b->kind == N_CONST && b->value == 0 && (op == OP_ADD || op == OP_SUB) && type->kind == TYPE_POINTER &&
        a->type->kind == TYPE_POINTER && a->type->base == type->base)
        return a;
    node = pair(N_BINARY, type, a, b);
    node->op = (u8)op;
    node->position = position;
    return node;
}

/* Whether `node` is an address that the linker knows: symbol (or none) + offset. */
static i32 address_constant(const Node *node, Symbol **symbol, i64 *offset)
{
    switch (node->kind) {
    case N_CONST:
        *symbol = 0;
        *offset = node->value;
        return 1;
    case N_CAST:
        if (size_of(node->type) != 8) return 0;
        if (size_of(node->a->type) != 8 && node->a->kind != N_CONST) return 0;
        return address_constant(node->a, symbol, offset);
    case N_BINARY:
        if (node->op == OP_ADD || node->op == OP_SUB) {
            Symbol *other = 0;
            i64 more = 0;
            if (!address_constant(node->a, symbol, offset) || !address_constant(node->b, &other, &more)) return 0;
            if (node->op == OP_ADD) {
                if (*symbol && other) return 0;
                if (other) *symbol = other;
                *offset += more;
                return 1;
            }
            if (other && other != *symbol) return 0;
            if (other) *symbol = 0;
            *offset -= more;
            return 1;
        }
        return 0;
    case N_ADDRESS: {
        const Node *object = node->a;
        i64 inside = 0;
        while (object->kind == N_MEMBER) {
            inside += object->value;
            object = object->a;
        }
        if (object->kind == N_DEREF) {
            if (!address_constant(object->a, symbol, offset)) return 0;
            *offset += inside;
            return 1;
        }
        if (object->kind != N_SYMBOL && object->kind != N_COMPOUND) return 0;
        if (object->symbol->is_local || object->c) return 0;
        *symbol = object->symbol;
        *offset = inside;
        return 1;
    }
    default: return 0;
    }
}
