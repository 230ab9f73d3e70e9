/* Typed expressions to intermediate code. */

static u32 lowered_position;
static i64 address_offset; /* of the last `lower_address`: to be added to the register that it gave */
static i32 result_pointer; /* where the caller wants the struct that is returned */

static i32 lower(Node *node);
static i32 lower_address(Node *node);
static void lower_statements(Node *node);
static void branch_on(Node *node, i32 label, i32 wanted);

#define MAX_LOWERING 600
static u32 lowering_depth;

static void go_deeper(u32 position)
{
    if (++lowering_depth > MAX_LOWERING) fatal(position, "this expression is too long; split it up");
}

static i32 new_vreg(void)
{
    return (i32)vreg_count++;
}

static i32 new_label(void)
{
    return (i32)label_count++;
}

static Code *emit(u32 op, i32 dst, i32 a, i32 b, i64 imm)
{
    Code *one = put(op, dst, a, b, imm);
    one->position = lowered_position;
    return one;
}

static void place_label(i32 label)
{
    emit(I_LABEL, NO_REGISTER, NO_REGISTER, NO_REGISTER, label);
}

static void jump(i32 label)
{
    emit(I_JUMP, NO_REGISTER, NO_REGISTER, NO_REGISTER, label);
}

static i32 number(i64 value)
{
    i32 dst = new_vreg();
    emit(I_MOV, dst, NO_REGISTER, NO_REGISTER, value);
    return dst;
}

static i32 is_narrow(const Type *type)
{
    return size_of(type) <= 4;
}

static i64 frame_room(i64 size, i64 alignment)
{
    if (alignment < 8 && size >= 8) alignment = 8;
    frame_bytes = round_up(frame_bytes + size, alignment ? alignment : 1);
    return -frame_bytes;
}

#include "temporaries.c"

static i32 frame_address(i64 offset)
{
    i32 dst = new_vreg();
    emit(I_ADD, dst, FRAME, NO_REGISTER, offset);
    return dst;
}

/* The register that holds a + offset. */
static i32 whole_address(i32 base, i64 offset)
{
    i32 dst;
    if (offset == 0 && base != FRAME) return base;
    dst = new_vreg();
    emit(I_ADD, dst, base, NO_REGISTER, offset);
    return dst;
}

static i32 lives_in_register(const Symbol *symbol)
{
    return symbol->is_local && !symbol->address_taken && is_scalar(symbol->type) && !is_volatile(symbol->type);
}

static i32 global_number(Symbol *symbol)
{
    if (symbol->index == 0) {
        if (global_count >= MAX_GLOBALS - 1) fatal(symbol->position, "too many static objects");
        globals[++global_count] = symbol;
        symbol->index = global_count;
    }
    return (i32)symbol->index;
}

#define MAX_FRAME 4096
#define FRAME_FOR_LOCALS 3584 /* of it; the rest is for what does not fit registers */

/* Gives a local its place: in the frame, or, if it is too big for that, among the static objects. */
static void place_local(Symbol *symbol)
{
    i64 alignment = symbol->alignment ? symbol->alignment : alignment_of(symbol->type), size = size_of(symbol->type);
    if (symbol->value) return;
    if (symbol->is_temporary) {
        symbol->value = temporary_room(size, alignment, symbol);
        return;
    }
    if (!is_scalar(symbol->type) && frame_bytes + size > FRAME_FOR_LOCALS) {
        within->is_not_reentrant = 1;
        symbol->is_local = 0;
        symbol->is_static = symbol->is_defined = 1;
        symbol->section = SECTION_BSS;
        put_in_object(symbol);
        if (symbol->name && begin_warning(symbol->position)) {
            say_name(symbol->name);
            say(" takes ");
            say_number(size);
            say(" bytes, but all locals of a function share a frame of 4096; it is kept as if it were static");
            end_message();
            hint("declare it static yourself, or make it smaller");
        }
        return;
    }
    symbol->value = frame_room(size ? size : 1, alignment);
}

/* ---- conversions ---- */

static i32 extended(i32 vreg, const Type *type)
{
    i32 dst;
    if (size_of(type) == 8) return vreg;
    dst = new_vreg();
    if (is_unsigned(type))
        emit(I_MOV, dst, vreg, NO_REGISTER, 0)->narrow = 1;
    else
        emit(I_SEXT, dst, vreg, NO_REGISTER, 0)->size = 4;
    return dst;
}

static i32 truncated(i32 vreg, i64 size, i32 natural)
{
    i32 dst = new_vreg();
    if (natural) {
        emit(I_AND, dst, vreg, NO_REGISTER, size == 1 ? 0xff : 0xffff)->narrow = 1;
    } else {
        emit(I_SEXT, dst, vreg, NO_REGISTER, 0)->size = (u8)size;
    }
    return dst;
}

static i32 low_bits(i32 vreg, u32 width, i32 natural);

static i32 converted(i32 vreg, const Type *from, const Type *to)
{
    i64 from_size = size_of(from), to_size = size_of(to);
    if (to->kind == TYPE_BOOL) {
        i32 dst = new_vreg();
        Code *one;
        if (from->kind == TYPE_BOOL) return vreg;
        one = emit(I_SET, dst, vreg, NO_REGISTER, 0);
        one->condition = IF_NE;
        one->narrow = from_size <= 4;
        return dst;
    }
    if (to_size == 8) {
        if (from_size < 8) vreg = extended(vreg, from);
        return to->bits && to->bits != from->bits ? low_bits(vreg, to->bits, is_unsigned(to)) : vreg;
    }
    if (to_size == 4) return vreg;
    if (from->kind == TYPE_BOOL || (from_size == to_size && is_unsigned(from) == is_unsigned(to)) ||
        (from_size < to_size && (is_unsigned(from) || !is_unsigned(to))))
        return vreg;
    return truncated(vreg, to_size, is_unsigned(to));
}

/* ---- memory ---- */

static i32 load(i32 base, i64 offset, const Type *type)
{
    i32 dst = new_vreg();
    Code *one = emit(I_LOAD, dst, base, NO_REGISTER, offset);
    one->size = (u8)size_of(type);
    one->condition = !is_unsigned(type) && one->size < 4;
    return dst;
}

static void store(i32 base, i64 offset, i64 size, i32 value)
{
    emit(I_STORE, NO_REGISTER, base, value, offset)->size = (u8)size;
}

#include "bits.c"

static Symbol *library_symbol(const char *text)
{
    Name *name = intern_text(text);
    Symbol *symbol = name->global;
    if (symbol && symbol->kind == A_FUNCTION) return symbol;
    symbol = keep(sizeof *symbol);
    symbol->name = name;
    symbol->kind = A_FUNCTION;
    symbol->type = library_function(name);
    symbol->is_extern = 1;
    return symbol;
}

static void start_call(Call *one, Symbol *callee, Type *type)
{
    memset(one, 0, sizeof *one);
    one->callee = callee;
    one->type = type;
}

/* The number of a call in the code. What is kept of it ends behind its last argument. */
static i32 call_number(const Call *call)
{
    u64 size = sizeof *call - (sizeof call->arguments / sizeof *call->arguments - call->count) * sizeof *call->arguments;
    if (call_count >= MAX_CALLS) fatal(lowered_position, "too many calls");
    calls[call_count] = memcpy(keep(size), call, size);
    return (i32)call_count++;
}

#include "chains.c"
#include "inline.c"

static void emit_call(const Call *one, i32 dst, i32 pointer)
{
    if (one->callee && may_inline(one->callee)) {
        inline_call(one, dst);
        return;
    }
    emit(I_CALL, dst, pointer, NO_REGISTER, 0)->other = call_number(one);
    if (landing) check_landing();
}

static void call_library(const char *name, i32 a, i32 b, i64 b_number, i64 size)
{
    Symbol *symbol = library_symbol(name);
    Call one;
    start_call(&one, symbol, symbol->type);
    put_in_object(symbol);
    one.count = 3;
    one.arguments[0].vreg = a;
    one.arguments[1].vreg = b;
    one.arguments[1].imm = b_number;
    one.arguments[2].vreg = NO_REGISTER;
    one.arguments[2].imm = size;
    emit_call(&one, NO_REGISTER, NO_REGISTER);
}

#define INLINE_COPY 64

static void copy_bytes(i32 to, i64 to_offset, i32 from, i64 from_offset, i64 size)
{
    i64 at = 0, step;
    if (size > INLINE_COPY) {
        call_library("memcpy", whole_address(to, to_offset), whole_address(from, from_offset), 0, size);
        return;
    }
    while (at < size) {
        i32 word = new_vreg();
        for (step = 8; step > size - at; step /= 2) {}
        emit(I_LOAD, word, from, NO_REGISTER, from_offset + at)->size = (u8)step;
        store(to, to_offset + at, step, word);
        at += step;
    }
}

static void zero_bytes(i32 to, i64 offset, i64 size)
{
    i64 at = 0, step;
    if (size > INLINE_COPY) {
        call_library("memset", whole_address(to, offset), NO_REGISTER, 0, size);
        return;
    }
    while (at < size) {
        for (step = 8; step > size - at; step /= 2) {}
        store(to, offset + at, step, NO_REGISTER);
        at += step;
    }
}

/* ---- calls: the ABI ---- */

/* Up to five words in r1 to r5; of more, four, and in r5 the address of a block of the others. A struct goes as its
 * address, and its callee copies it; a struct that is returned as the address of where it goes, which comes first. */
static i32 lower_call(Node *node)
{
    i32 words[MAX_PARAMETERS + 2], pointer = NO_REGISTER, dst = NO_REGISTER, result = NO_REGISTER, narrow_external;
    u32 count = 0, i;
    Node *argument;
    Call one;
    start_call(&one, node->symbol, node->computed);
    if (node->value > MAX_PARAMETERS) fatal(node->position, "a call with so many arguments is too much");
    if (node->a) pointer = lower(node->a);
    if (is_record(node->type)) {
        i64 room = temporary_room(size_of(node->type), alignment_of(node->type), 0);
        result = frame_address(room);
        words[count++] = result;
    }
    narrow_external = node->symbol && !node->symbol->is_defined;
    for (argument = node->b; argument; argument = argument->next) {
        if (is_record(argument->type)) {
            i32 base = lower_address(argument);
            i64 offset = address_offset;
            words[count++] = whole_address(base, offset);
        } else {
            i32 value = lower(argument);
            if (narrow_external && is_scalar(argument->type)) value = extended(value, argument->type);
            words[count++] = value;
        }
    }
    one.count = count;
    if (count > 5) {
        i64 block = temporary_room((i64)(count - 4) * 8, 8, 0);
        for (i = 4; i < count; i++) store(FRAME, block + (i64)(i - 4) * 8, 8, words[i]);
        words[4] = frame_address(block);
        one.count = 5;
    }
    for (i = 0; i < one.count; i++) one.arguments[i].vreg = words[i];
    if (node->symbol) {
        put_in_object(node->symbol);
        node->symbol->is_used = 1;
    }
    if (node->type->kind != TYPE_VOID && result == NO_REGISTER) dst = new_vreg();
    lowered_position = node->position;
    if (node->c && node->symbol->needs_chain) {
        i32 chain = lower(node->c);
        store_hidden(WORD_CHAIN, chain);
    }
    emit_call(&one, dst, pointer);
    if (node->symbol && node->symbol->is_noreturn) emit(I_TRAP, NO_REGISTER, NO_REGISTER, NO_REGISTER, 0);
    if (result != NO_REGISTER) {
        address_offset = 0;
        return result;
    }
    return dst;
}

/* ---- addresses ---- */

/* A register; the address is that + address_offset. */
static i32 address_of_node(Node *node)
{
    i32 base, dst;
    i64 offset;
    switch (node->kind) {
    case N_SYMBOL:
        if (node->symbol->is_local) place_local(node->symbol);
        if (node->symbol->is_local) {
            address_offset = node->symbol->value;
            return FRAME;
        }
        put_in_object(node->symbol);
        node->symbol->is_used = 1;
        dst = new_vreg();
        emit(I_GLOBAL, dst, NO_REGISTER, NO_REGISTER, 0)->other = global_number(node->symbol);
        address_offset = 0;
        return dst;
    case N_DEREF:
        if (node->a->kind == N_BINARY && node->a->op == OP_ADD && node->a->type->kind == TYPE_POINTER &&
            node->a->b->kind == N_CONST && node->a->b->value > -32000 && node->a->b->value < 32000) {
            i64 constant_part = node->a->b->value;
            Node *pointer = node->a->a;
            if (pointer->kind == N_ADDRESS) {
                base = lower_address(pointer->a);
                address_offset += constant_part;
                return base;
            }
            base = lower(pointer);
            address_offset = constant_part;
            return base;
        }
        if (node->a->kind == N_ADDRESS) return lower_address(node->a->a);
        base = lower(node->a);
        address_offset = 0;
        return base;
    case N_MEMBER:
        base = lower_address(node->a);
        address_offset += node->value;
        return base;
    case N_COMPOUND:
        if (node->symbol->is_local) place_local(node->symbol);
        lower_inside(node->a);
        dst = new_vreg();
        if (node->symbol->is_local) {
            address_offset = node->symbol->value;
            return FRAME;
        }
        emit(I_GLOBAL, dst, NO_REGISTER, NO_REGISTER, 0)->other = global_number(node->symbol);
        address_offset = 0;
        return dst;
    case N_CALL: return lower_call(node);
    case N_ASSIGN:
        lower(node);
        return lower_address(node->a);
    case N_COMMA:
        lower(node->a);
        return lower_address(node->b);
    case N_STATEMENTS: {
        lower_inside(node->a->a);
        lower_inside(node->a->b);
        base = lower_address(node->b->b);
        return base;
    }
    case N_CAST: return lower_address(node->a);
    case N_CONDITIONAL: {
        i32 other = new_label(), end = new_label();
        dst = new_vreg();
        branch_on(node->a, other, 0);
        base = lower_address(node->b);
        offset = address_offset;
        emit(I_MOV, dst, whole_address(base, offset), NO_REGISTER, 0);
        jump(end);
        place_label(other);
        base = lower_address(node->c);
        offset = address_offset;
        emit(I_MOV, dst, whole_address(base, offset), NO_REGISTER, 0);
        place_label(end);
        address_offset = 0;
        return dst;
    }
    default:
        address_offset = 0;
        return lower(node);
    }
}

static i32 lower_address(Node *node)
{
    i32 result;
    go_deeper(node->position);
    result = address_of_node(node);
    lowering_depth--;
    return result;
}

/* ---- expressions ---- */

static u32 code_of(u32 op, const Type *type)
{
    static const u8 plain[] = {I_ADD, I_SUB, I_MUL, I_DIV, I_MOD, I_AND, I_OR, I_XOR, I_SHL, I_SHR};
    if (!is_unsigned(type)) {
        if (op == OP_DIV) return I_SDIV;
        if (op == OP_MOD) return I_SMOD;
        if (op == OP_SHR) return I_SAR;
    }
    return plain[op];
}

static u32 condition_code(u32 op, const Type *type)
{
    static const u8 plain[] = {IF_EQ, IF_NE, IF_LT, IF_LE, IF_GT, IF_GE};
    u32 condition = plain[op - OP_EQ];
    return op >= OP_LT && !is_unsigned(type) ? condition + (IF_SLT - IF_LT) : condition;
}

static i32 lower_operation(u32 op, i32 a, i32 b, const Type *type)
{
    i32 dst = new_vreg();
    emit(code_of(op, type), dst, a, b, 0)->narrow = (u8)is_narrow(type);
    return type->bits ? low_bits(dst, type->bits, is_unsigned(type)) : dst;
}

/* Stores a value of the type of `place`, whose address is known. What it holds then. */
static i32 store_value(Node *place, i32 base, i64 offset, i32 value)
{
    if (place->kind == N_MEMBER && place->member) return store_bits(base, offset, place->member, value, place->type);
    store(base, offset, size_of(place->type), value);
    return value;
}

static i32 load_value(Node *place, i32 base, i64 offset)
{
    if (place->kind == N_MEMBER && place->member) return load_bits(base, offset, place->member, place->type);
    return load(base, offset, place->type);
}

static i32 lower_assignment(Node *node)
{
    Node *place = node->a;
    i32 value, base, from;
    i64 offset, from_offset;
    if (place->kind == N_SYMBOL && lives_in_register(place->symbol)) {
        value = lower(node->b);
        if (!place->symbol->vreg) place->symbol->vreg = new_vreg();
        emit(I_MOV, place->symbol->vreg, value, NO_REGISTER, 0);
        return place->symbol->vreg;
    }
    if (is_record(place->type) || place->type->kind == TYPE_ARRAY) {
        from = lower_address(node->b);
        from_offset = address_offset;
        base = lower_address(place);
        offset = address_offset;
        copy_bytes(base, offset, from, from_offset, size_of(place->type));
        return NO_REGISTER;
    }
    value = lower(node->b);
    base = lower_address(place);
    offset = address_offset;
    lowered_position = node->position;
    return store_value(place, base, offset, value);
}

static i32 lower_update(Node *node)
{
    Node *place = node->a;
    i32 value, base = NO_REGISTER, old, wide, result, in_register;
    i64 offset = 0;
    Type *type = unqualified(place->type);
    in_register = place->kind == N_SYMBOL && lives_in_register(place->symbol);
    if (in_register) {
        if (!place->symbol->vreg) place->symbol->vreg = new_vreg();
        value = lower(node->b);
        old = place->symbol->vreg;
        if (node->kind == N_POSTFIX) {
            i32 copy = new_vreg();
            emit(I_MOV, copy, old, NO_REGISTER, 0);
            old = copy;
        }
    } else {
        value = lower(node->b);
        base = lower_address(place);
        offset = address_offset;
        if (base != FRAME) { /* the address may be a variable's register, which changes */
            i32 copy = new_vreg();
            emit(I_MOV, copy, base, NO_REGISTER, 0);
            base = copy;
        }
        old = load_value(place, base, offset);
    }
    wide = converted(old, type, node->computed);
    result = lower_operation(node->op, wide, value, node->computed);
    result = converted(result, node->computed, type);
    if (in_register) {
        emit(I_MOV, place->symbol->vreg, result, NO_REGISTER, 0);
        result = place->symbol->vreg;
    } else {
        result = store_value(place, base, offset, result);
    }
    return node->kind == N_POSTFIX ? old : result;
}

static i32 lower_truth(Node *node)
{
    i32 dst = new_vreg(), end = new_label();
    emit(I_MOV, dst, NO_REGISTER, NO_REGISTER, 1);
    branch_on(node, end, 1);
    emit(I_MOV, dst, NO_REGISTER, NO_REGISTER, 0);
    place_label(end);
    return dst;
}

static i32 lower_conditional(Node *node)
{
    i32 other = new_label(), end = new_label(), dst = new_vreg(), value;
    if (!node->b) { /* a ?: c */
        value = lower(node->a);
        value = converted(value, node->a->type, node->type);
        emit(I_MOV, dst, value, NO_REGISTER, 0);
        {
            Code *one = emit(I_BRANCH, NO_REGISTER, dst, NO_REGISTER, 0);
            one->condition = IF_NE;
            one->narrow = (u8)is_narrow(node->type);
            one->other = end;
        }
        value = lower(node->c);
        if (value != NO_REGISTER) emit(I_MOV, dst, value, NO_REGISTER, 0);
        place_label(end);
        return dst;
    }
    branch_on(node->a, other, 0);
    value = lower(node->b);
    if (value != NO_REGISTER && node->type->kind != TYPE_VOID) emit(I_MOV, dst, value, NO_REGISTER, 0);
    jump(end);
    place_label(other);
    value = lower(node->c);
    if (value != NO_REGISTER && node->type->kind != TYPE_VOID) emit(I_MOV, dst, value, NO_REGISTER, 0);
    place_label(end);
    return dst;
}

static i32 lower_node(Node *node)
{
    i32 a, b, dst;
    i64 offset;
    u32 saved = lowered_position;
    if (node->position) lowered_position = node->position;
    switch (node->kind) {
    case N_CONST: return number(node->value);
    case N_SYMBOL:
        if (lives_in_register(node->symbol) && !node->is_lvalue_copy) {
            if (!node->symbol->vreg) node->symbol->vreg = new_vreg();
            return node->symbol->vreg;
        }
        /* fall through */
    case N_DEREF:
    case N_MEMBER:
    case N_COMPOUND:
        if (is_record(node->type) || node->type->kind == TYPE_ARRAY || node->type->kind == TYPE_FUNCTION) {
            a = lower_address(node);
            offset = address_offset;
            return whole_address(a, offset);
        }
        if (node->type->kind == TYPE_VOID) {
            lower_address(node);
            return NO_REGISTER;
        }
        a = lower_address(node);
        offset = address_offset;
        lowered_position = node->position;
        dst = load_value(node, a, offset);
        lowered_position = saved;
        return dst;
    case N_ADDRESS:
        if (node->a->kind == N_SYMBOL && node->a->symbol->kind == A_FUNCTION) {
            if (node->a->c && node->a->symbol->needs_chain) return pointer_with_chain(node->a);
            return number(pointer_number(node->a->symbol));
        }
        a = lower_address(node->a);
        offset = address_offset;
        return whole_address(a, offset);
    case N_CAST:
        if (is_record(node->a->type)) {
            a = lower_address(node->a);
            offset = address_offset;
            return whole_address(a, offset);
        }
        a = lower(node->a);
        if (node->type->kind == TYPE_VOID || node->a->type->kind == TYPE_VOID) return NO_REGISTER;
        if (node->type->bits && bit_field_of(node->a)) return a; /* it has no more bits than that */
        return converted(a, node->a->type, node->type);
    case N_NEGATE:
        a = lower(node->a);
        dst = new_vreg();
        emit(I_NEG, dst, a, NO_REGISTER, 0)->narrow = (u8)is_narrow(node->type);
        return node->type->bits ? low_bits(dst, node->type->bits, is_unsigned(node->type)) : dst;
    case N_COMPLEMENT:
        a = lower(node->a);
        dst = new_vreg();
        emit(I_XOR, dst, a, NO_REGISTER, -1)->narrow = (u8)is_narrow(node->type);
        return node->type->bits ? low_bits(dst, node->type->bits, is_unsigned(node->type)) : dst;
    case N_NOT:
    case N_AND_AND:
    case N_OR_OR:
        if (node->kind == N_NOT && node->a->kind != N_AND_AND && node->a->kind != N_OR_OR) {
            Code *one;
            a = lower(node->a);
            dst = new_vreg();
            one = emit(I_SET, dst, a, NO_REGISTER, 0);
            one->condition = IF_EQ;
            one->narrow = (u8)is_narrow(node->a->type);
            return dst;
        }
        return lower_truth(node);
    case N_BINARY:
        a = lower(node->a);
        b = lower(node->b);
        lowered_position = node->position;
        if (node->op >= OP_EQ) {
            Code *one;
            dst = new_vreg();
            one = emit(I_SET, dst, a, b, 0);
            one->condition = (u8)condition_code(node->op, node->a->type);
            one->narrow = (u8)is_narrow(node->a->type);
        } else {
            dst = lower_operation(node->op, a, b, node->type);
        }
        lowered_position = saved;
        return dst;
    case N_CONDITIONAL:
        if (is_record(node->type)) {
            a = lower_address(node);
            offset = address_offset;
            return whole_address(a, offset);
        }
        return lower_conditional(node);
    case N_COMMA:
        lower(node->a);
        return lower(node->b);
    case N_ASSIGN: return lower_assignment(node);
    case N_UPDATE:
    case N_POSTFIX: return lower_update(node);
    case N_CALL: return lower_call(node);
    case N_STATEMENTS:
        lower_inside(node->a->a);
        lower_inside(node->a->b);
        if (node->b && node->type->kind != TYPE_VOID) {
            dst = node->b->target;
            node->b->target = 0;
            return dst;
        }
        return NO_REGISTER;
    default: /* N_BUILTIN */
        if (node->op == BUILTIN_TRAP) {
            emit(I_TRAP, NO_REGISTER, NO_REGISTER, NO_REGISTER, 0);
            return NO_REGISTER;
        }
        if (node->op == BUILTIN_FRAME) return frame_address(0);
        a = lower(node->a);
        dst = new_vreg();
        emit(I_SWAP, dst, a, NO_REGISTER, 0)->size = (u8)size_of(node->type);
        return dst;
    }
}

static i32 lower(Node *node)
{
    i32 result;
    go_deeper(node->position);
    result = lower_node(node);
    lowering_depth--;
    return result;
}

/* Goes on at `label` if the truth of `node` is `wanted`, else falls through. */
static void branch_deeper(Node *node, i32 label, i32 wanted)
{
    Code *one;
    i32 a, b;
    if (node->position) lowered_position = node->position;
    switch (node->kind) {
    case N_CONST:
        if ((node->value != 0) == wanted) jump(label);
        return;
    case N_NOT: branch_on(node->a, label, !wanted); return;
    case N_AND_AND:
    case N_OR_OR:
        if ((node->kind == N_OR_OR) == wanted) {
            branch_on(node->a, label, wanted);
            branch_on(node->b, label, wanted);
        } else {
            i32 past = new_label();
            branch_on(node->a, past, !wanted);
            branch_on(node->b, label, wanted);
            place_label(past);
        }
        return;
    case N_COMMA:
        lower(node->a);
        branch_on(node->b, label, wanted);
        return;
    case N_CAST:
        if (node->type->kind == TYPE_BOOL || (is_scalar(node->type) && size_of(node->type) >= size_of(node->a->type) && is_scalar(node->a->type))) {
            branch_on(node->a, label, wanted);
            return;
        }
        break;
    case N_BINARY:
        if (node->op >= OP_EQ) {
            u32 condition = condition_code(node->op, node->a->type);
            a = lower(node->a);
            b = lower(node->b);
            one = emit(I_BRANCH, NO_REGISTER, a, b, 0);
            one->condition = (u8)(wanted ? condition : inverse(condition));
            one->narrow = (u8)is_narrow(node->a->type);
            one->other = label;
            return;
        }
        break;
    default: break;
    }
    a = lower(node);
    one = emit(I_BRANCH, NO_REGISTER, a, NO_REGISTER, 0);
    one->condition = wanted ? IF_NE : IF_EQ;
    one->narrow = (u8)is_narrow(node->type);
    one->other = label;
}

static void branch_on(Node *node, i32 label, i32 wanted)
{
    go_deeper(node->position);
    branch_deeper(node, label, wanted);
    lowering_depth--;
}
