/* What the lowering of expressions is made of: registers, labels, places in the frame, conversions, loads and stores,
 * copies, calls.
 */

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
    u64 size =
        sizeof *call - (sizeof call->arguments / sizeof *call->arguments - call->count) * sizeof *call->arguments;
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
