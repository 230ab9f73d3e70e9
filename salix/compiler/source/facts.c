/* What is known of the registers of one function's code: how often each is read and set, and what it holds.
 *
 * A fact holds in the block in which it was learnt, and while the register that it refers to has the version of then;
 * facts of registers that are set once hold everywhere. Constants are computed here as the instructions would.
 */

enum { KNOWN_NOTHING, KNOWN_CONSTANT, KNOWN_COPY, KNOWN_SUM, KNOWN_GLOBAL };

typedef struct {
    u8 kind;
    i32 source; /* of a copy or sum; a symbol's number */
    i64 imm;
    u32 version; /* of the source, then */
    u32 block;   /* for which this holds; 0: everywhere */
} Known;

static Known *known;

static u32 memory_version; /* grows with each store and call */
static u32 *versions, *uses, *definitions, *defined_at;
static u8 *extension; /* of a register's low half: bit 0, with zeros; bit 1, with its sign */
static u32 block_number;
static Name *name_strlen;

static i32 fits32(i64 value)
{
    return value == (i32)value;
}

/* Calls `uses` counting for each register that `one` reads: adds `by`. */
static void count_uses(const Code *one, i32 by)
{
    if (one->a > 0) uses[one->a] += (u32)by;
    if (one->b > 0) uses[one->b] += (u32)by;
    if (one->op == I_CALL) {
        const Call *call = calls[one->other];
        u32 i;
        for (i = 0; i < call->count; i++)
            if (call->arguments[i].vreg > 0) uses[call->arguments[i].vreg] += (u32)by;
    }
}

static u32 extension_of(const Code *one)
{
    switch (one->op) {
    case I_MOV:
        if (one->a < 0) return (u32)(one->imm == (u32)one->imm) | (u32)fits32(one->imm) << 1;
        if (one->narrow) return extension[one->a] == 3 ? 3 : 1;
        return one->a == FRAME ? 1 : extension[one->a];
    case I_SEXT: return 2;
    case I_SET: return 3;
    case I_LOAD:
        if (one->condition) return 2;
        return one->size < 4 ? 3 : one->size == 4;
    case I_SWAP: return one->size == 2 ? 3 : one->size == 4;
    case I_AND:
        if (one->b < 0 && one->imm >= 0 && fits32(one->imm)) return 3;
        return one->narrow;
    case I_SHR:
        if (one->narrow) return one->b < 0 && one->imm > 0 ? 3 : 1;
        if (one->b < 0) return one->imm > 32 ? 3 : one->imm == 32;
        return 0;
    case I_SAR: return !one->narrow && one->b < 0 && one->imm >= 32 ? 2 : one->narrow;
    default: return is_binary_code(one->op) || one->op == I_NEG ? one->narrow : 0;
    }
}

static void gather_facts(void)
{
    u32 i, changed = 1, rounds = 0;
    memset(uses, 0, vreg_count * sizeof *uses);
    memset(definitions, 0, vreg_count * sizeof *definitions);
    memset(known, 0, vreg_count * sizeof *known);
    memset(extension, 3, vreg_count);
    for (i = 0; i < code_count; i++) {
        count_uses(&code[i], 1);
        if (code[i].dst > 0) {
            definitions[code[i].dst]++;
            defined_at[code[i].dst] = i;
        }
    }
    while (changed && rounds++ < 20) {
        changed = 0;
        for (i = 0; i < code_count; i++) {
            i32 dst = code[i].dst;
            if (dst > 0 && extension[dst]) {
                u8 found = (u8)(extension[dst] & extension_of(&code[i]));
                if (found != extension[dst]) {
                    extension[dst] = found;
                    changed = 1;
                }
            }
        }
    }
    if (changed) memset(extension, 0, vreg_count);
}

static Known *knowledge(i32 vreg)
{
    Known *found;
    if (vreg <= 0) return 0;
    found = &known[vreg];
    if (found->kind == KNOWN_NOTHING || (found->block && found->block != block_number)) return 0;
    if (found->kind == KNOWN_COPY || found->kind == KNOWN_SUM)
        if (found->source != FRAME && versions[found->source] != found->version) return 0;
    return found;
}

static void learn(i32 vreg, u32 kind, i32 source, i64 imm)
{
    Known *one = &known[vreg];
    one->kind = (u8)kind;
    one->source = source;
    one->imm = imm;
    one->block = block_number;
    if ((kind == KNOWN_COPY || kind == KNOWN_SUM) && source > 0) one->version = versions[source];
    if (definitions[vreg] == 1 &&
        (kind == KNOWN_CONSTANT || kind == KNOWN_GLOBAL || (kind == KNOWN_SUM && source == FRAME)))
        one->block = 0;
}

static i32 constant_of(i32 vreg, i64 *value)
{
    Known *found = knowledge(vreg);
    if (!found || found->kind != KNOWN_CONSTANT) return 0;
    *value = found->imm;
    return 1;
}

static void use_copy(i32 *vreg)
{
    Known *found = knowledge(*vreg);
    if (!found || found->kind != KNOWN_COPY) return;
    uses[*vreg]--;
    uses[found->source]++;
    *vreg = found->source;
}

static i64 power(i64 value)
{
    i64 bits = 0;
    if (value <= 0 || (value & (value - 1))) return -1;
    while (value > 1) value >>= 1, bits++;
    return bits;
}

static i64 computed(const Code *one, i64 left, i64 right)
{
    i64 result, bits = one->narrow ? 31 : 63;
    i32 is_signed = one->op >= I_SDIV;
    if (one->narrow) {
        left = is_signed ? (i32)left : (i64)(u32)left;
        right = is_signed ? (i32)right : (i64)(u32)right;
    }
    switch (one->op) {
    case I_ADD: result = fold(OP_ADD, left, right, &type_ulong); break;
    case I_SUB: result = fold(OP_SUB, left, right, &type_ulong); break;
    case I_MUL: result = fold(OP_MUL, left, right, &type_ulong); break;
    case I_DIV: result = right ? fold(OP_DIV, left, right, &type_ulong) : 0; break;
    case I_MOD: result = right ? fold(OP_MOD, left, right, &type_ulong) : left; break;
    case I_SDIV: result = right ? fold(OP_DIV, left, right, &type_long) : 0; break;
    case I_SMOD: result = right ? fold(OP_MOD, left, right, &type_long) : left; break;
    case I_AND: result = left & right; break;
    case I_OR: result = left | right; break;
    case I_XOR: result = left ^ right; break;
    case I_SHL: result = fold(OP_SHL, left, right & bits, &type_ulong); break;
    case I_SHR: result = fold(OP_SHR, left, right & bits, &type_ulong); break;
    default: result = fold(OP_SHR, left, right & bits, &type_long); break;
    }
    return one->narrow ? (i64)(u32)result : result;
}

static i32 holds(u32 condition, i32 narrow, i64 left, i64 right)
{
    u64 a = narrow ? (u32)left : (u64)left, b = narrow ? (u32)right : (u64)right;
    i64 c = narrow ? (i32)left : left, d = narrow ? (i32)right : right;
    switch (condition) {
    case IF_EQ: return a == b;
    case IF_NE: return a != b;
    case IF_LT: return a < b;
    case IF_LE: return a <= b;
    case IF_GT: return a > b;
    case IF_GE: return a >= b;
    case IF_SLT: return c < d;
    case IF_SLE: return c <= d;
    case IF_SGT: return c > d;
    case IF_SGE: return c >= d;
    default: return (a & b) != 0;
    }
}
