/* One function's code to shorter code that does the same.
 *
 * `propagate` goes forward through each block and knows of registers that they are constants, copies or sums; constants
 * and addresses that are set once are known everywhere. `remove_dead` drops what nobody uses, `clean_jumps` what nobody
 * reaches. A rewritten instruction sets all 64 bits of its register as the old one did.
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

/* A value that a register holds, found again by what computed it. */
#define AVAILABLE 256
typedef struct {
    Code made;
    u32 version_a, version_b, version_dst, memory;
    u32 block; /* in which it was computed; 0: the entry is empty */
} Available;

static Available available[AVAILABLE];
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
    if (definitions[vreg] == 1 && (kind == KNOWN_CONSTANT || kind == KNOWN_GLOBAL || (kind == KNOWN_SUM && source == FRAME)))
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

static void becomes_constant(Code *one, i64 value)
{
    count_uses(one, -1);
    one->op = I_MOV;
    one->narrow = 0;
    one->a = one->b = NO_REGISTER;
    one->imm = value;
}

static void becomes_copy(Code *one, i32 source)
{
    count_uses(one, -1);
    one->op = I_MOV;
    one->narrow = 0;
    one->a = source;
    one->b = NO_REGISTER;
    one->imm = 0;
    count_uses(one, 1);
}

static i32 is_commutative(u32 op)
{
    return op == I_ADD || op == I_MUL || op == I_AND || op == I_OR || op == I_XOR;
}

/* Puts a constant second operand into the instruction. */
static void use_constant(Code *one)
{
    i64 value;
    if (one->b < 0 || !constant_of(one->b, &value)) return;
    if (one->narrow) value = (i32)value;
    if (!fits32(value)) return;
    uses[one->b]--;
    one->b = NO_REGISTER;
    one->imm = value;
}

static void simplify_binary(Code *one)
{
    i64 left, right;
    i32 left_known = constant_of(one->a, &left);
    if (one->b >= 0 && left_known && is_commutative(one->op) && !constant_of(one->b, &right)) {
        i32 swapped = one->a;
        one->a = one->b;
        one->b = swapped;
        left_known = 0;
    }
    if (left_known && (one->b < 0 || constant_of(one->b, &right))) {
        if (one->b < 0) right = one->imm;
        becomes_constant(one, computed(one, left, right));
        return;
    }
    use_constant(one);
    if (one->b >= 0) return;
    if (one->op == I_SUB && one->imm != -0x80000000LL) {
        one->op = I_ADD;
        one->imm = -one->imm;
    }
    if (one->op == I_ADD && !one->narrow) {
        Known *base = knowledge(one->a);
        if (base && base->kind == KNOWN_SUM && fits32(base->imm + one->imm)) {
            uses[one->a]--;
            one->a = base->source;
            one->imm += base->imm;
            if (one->a > 0) uses[one->a]++;
        } else if (base && base->kind == KNOWN_GLOBAL && fits32(base->imm + one->imm)) {
            i64 offset = base->imm + one->imm;
            i32 symbol = base->source;
            becomes_constant(one, offset);
            one->op = I_GLOBAL;
            one->other = symbol;
            return;
        }
    }
    right = one->imm;
    switch (one->op) {
    case I_ADD: case I_OR: case I_XOR: case I_SHL: case I_SHR: case I_SAR:
        if (right == 0) {
            if (one->a == FRAME) return;
            if (!one->narrow || (extension[one->a] & 1)) becomes_copy(one, one->a);
            else one->op = I_MOV;
        }
        break;
    case I_MUL:
        if (right == 0) becomes_constant(one, 0);
        else if (right == 1 && !one->narrow) becomes_copy(one, one->a);
        else if (power(right) > 0) one->op = I_SHL, one->imm = power(right);
        break;
    case I_DIV:
        if (power(right) >= 0) one->op = I_SHR, one->imm = power(right);
        break;
    case I_MOD:
        if (power(right) >= 0) one->op = I_AND, one->imm = right - 1;
        break;
    case I_AND:
        if (right == 0) becomes_constant(one, 0);
        else if (right == -1 && !one->narrow) becomes_copy(one, one->a);
        break;
    default: break;
    }
}

static void simplify_comparison(Code *one)
{
    i64 left, right;
    i32 left_known = constant_of(one->a, &left);
    if (left_known && one->b >= 0 && !constant_of(one->b, &right)) {
        i32 swapped = one->a;
        one->a = one->b;
        one->b = swapped;
        one->condition = (u8)mirrored(one->condition);
        left_known = 0;
    }
    if (left_known && (one->b < 0 || constant_of(one->b, &right))) {
        i32 result;
        if (one->b < 0) right = one->imm;
        result = holds(one->condition, one->narrow, left, right);
        if (one->op == I_SET) {
            becomes_constant(one, result);
        } else {
            i32 label = one->other;
            count_uses(one, -1);
            one->op = result ? I_JUMP : I_NONE;
            one->a = one->b = NO_REGISTER;
            one->imm = label;
        }
        return;
    }
    use_constant(one);
    if (one->b < 0 && one->imm == 0 && one->a > 0 && definitions[one->a] == 1) {
        /* the truth of a comparison is the comparison's */
        Code *set = &code[defined_at[one->a]];
        if (set->op == I_SET && set->dst == one->a && (one->condition == IF_NE || one->condition == IF_EQ) &&
            set < one && set->condition != IF_SET) {
            Code *between;
            i32 changed = 0;
            for (between = set + 1; between < one; between++)
                if (between->op == I_LABEL || (between->dst > 0 && (between->dst == set->a || between->dst == set->b))) changed = 1;
            if (set->dst == set->a || set->dst == set->b) changed = 1;
            if (!changed) {
                i32 negate = one->condition == IF_EQ;
                count_uses(one, -1);
                one->a = set->a;
                one->b = set->b;
                one->imm = set->imm;
                one->narrow = set->narrow;
                one->condition = (u8)(negate ? inverse(set->condition) : set->condition);
                count_uses(one, 1);
            }
        }
    }
}

/* [sum + offset] -> [source + more] */
static void simplify_address(Code *one)
{
    Known *base = knowledge(one->a);
    if (!base || base->kind != KNOWN_SUM) return;
    if (one->imm + base->imm < -32768 || one->imm + base->imm + one->size > 32767) return;
    uses[one->a]--;
    one->a = base->source;
    one->imm += base->imm;
    if (one->a > 0) uses[one->a]++;
}

static void simplify_move(Code *one)
{
    i64 value;
    if (one->a < 0) return;
    if (constant_of(one->a, &value)) {
        if (one->op == I_SEXT) value = one->size == 1 ? (signed char)value : one->size == 2 ? (short)value : (i32)value;
        else if (one->narrow) value = (i64)(u32)value;
        becomes_constant(one, value);
        return;
    }
    if (one->a == FRAME) return;
    if (one->op == I_MOV && one->narrow && (extension[one->a] & 1)) one->narrow = 0;
    if (one->op == I_SEXT && one->size == 4) {
        Code *from = &code[defined_at[one->a]];
        if (extension[one->a] & 2) {
            one->op = I_MOV;
            one->narrow = 0;
        } else if (from->op == I_LOAD && from->dst == one->a && from->size == 4 && uses[one->a] == 1 && definitions[one->a] == 1) {
            from->condition = 1;
            memory_version++; /* what was loaded so far is shared no more: it may be this */
            extension[one->a] = 2;
            one->op = I_MOV;
            one->narrow = 0;
        }
    }
}

static u32 version_of(i32 vreg)
{
    return vreg > 0 ? versions[vreg] : 0;
}

static i32 may_be_shared(const Code *one)
{
    return one->dst > 0 && one->a >= 0 && one->dst != one->a && one->dst != one->b &&
           (is_binary_code(one->op) || one->op == I_SEXT || one->op == I_LOAD || one->op == I_NEG || (one->op == I_MOV && one->narrow));
}

/* Takes what was computed in this block before, if it is the same. */
static void share(Code *one)
{
    u32 hash = (one->op * 31u + (u32)one->a * 17u + (u32)one->b * 13u + (u32)one->imm * 7u + one->size) % AVAILABLE;
    Available *entry = &available[hash];
    const Code *made = &entry->made;
    if (entry->block == block_number && made->op == one->op && made->a == one->a && made->b == one->b && made->imm == one->imm &&
        made->narrow == one->narrow && made->size == one->size && made->condition == one->condition &&
        entry->version_a == version_of(one->a) && entry->version_b == version_of(one->b) &&
        entry->version_dst == version_of(made->dst) && (one->op != I_LOAD || entry->memory == memory_version)) {
        becomes_copy(one, made->dst);
        return;
    }
    entry->made = *one;
    entry->block = block_number;
    entry->version_a = version_of(one->a);
    entry->version_b = version_of(one->b);
    entry->version_dst = version_of(one->dst) + 1; /* as it will be when this has set it */
    entry->memory = memory_version;
}

/* Whether it is strlen of a string in .rodata. */
static i32 length_is_known(const Call *call, i64 *value)
{
    Known *argument;
    Symbol *string;
    if (!call->callee || call->callee->is_defined || call->count != 1 || call->callee->name != name_strlen) return 0;
    argument = knowledge(call->arguments[0].vreg);
    if (!argument || argument->kind != KNOWN_GLOBAL) return 0;
    string = globals[argument->source];
    if (!string->is_string || size_of(string->type->base) != 1 || argument->imm < 0 || argument->imm >= string->type->count) return 0;
    *value = (i64)strlen((const char *)string->data + argument->imm);
    return 1;
}

static void propagate_one(Code *one)
{
    i64 value;
    u32 i;
    if (one->a > 0 && !(one->op == I_CALL)) use_copy(&one->a);
    if (one->b > 0) use_copy(&one->b);
    switch (one->op) {
    case I_MOV:
    case I_SEXT: simplify_move(one); break;
    case I_SET:
    case I_BRANCH: simplify_comparison(one); break;
    case I_LOAD: simplify_address(one); break;
    case I_STORE:
        simplify_address(one);
        if (one->b > 0 && constant_of(one->b, &value)) {
            if (one->size < 8) value = (i32)value;
            if (fits32(value)) {
                uses[one->b]--;
                one->b = NO_REGISTER;
                one->other = (i32)value;
            }
        }
        if (one->b > 0 && one->size < 4) { /* a store cuts by itself */
            Code *cut = &code[defined_at[one->b]];
            if (definitions[one->b] == 1 && cut->dst == one->b && cut + 1 == one &&
                ((cut->op == I_AND && cut->b < 0 && cut->imm == (one->size == 1 ? 0xff : 0xffff)) ||
                 (cut->op == I_SEXT && cut->size == one->size)) && cut->a > 0 && cut->a != cut->dst) {
                uses[one->b]--;
                one->b = cut->a;
                uses[one->b]++;
            }
        }
        break;
    case I_CALL: {
        Call *call = calls[one->other];
        if (length_is_known(call, &value)) {
            becomes_constant(one, value);
            break;
        }
        for (i = 0; i < call->count; i++) {
            Operand *argument = &call->arguments[i];
            if (argument->vreg <= 0) continue;
            use_copy(&argument->vreg);
            if (constant_of(argument->vreg, &value)) {
                uses[argument->vreg]--;
                argument->vreg = NO_REGISTER;
                argument->imm = value;
            }
        }
        break;
    }
    case I_NEG:
        if (constant_of(one->a, &value)) becomes_constant(one, one->narrow ? (i64)(u32)(0 - (u64)value) : (i64)(0 - (u64)value));
        break;
    default:
        if (is_binary_code(one->op)) simplify_binary(one);
    }
    if (one->op == I_STORE || one->op == I_CALL) memory_version++;
    if (may_be_shared(one)) share(one);
    if (one->dst > 0) {
        versions[one->dst]++;
        known[one->dst].kind = KNOWN_NOTHING;
        if (one->op == I_MOV && one->a < 0) learn(one->dst, KNOWN_CONSTANT, 0, one->imm);
        else if (one->op == I_MOV && !one->narrow && one->a > 0 && one->a != one->dst) learn(one->dst, KNOWN_COPY, one->a, 0);
        else if (one->op == I_ADD && !one->narrow && one->b < 0 && one->a != one->dst) learn(one->dst, KNOWN_SUM, one->a, one->imm);
        else if (one->op == I_GLOBAL) learn(one->dst, KNOWN_GLOBAL, one->other, one->imm);
    }
}

static void propagate(void)
{
    u32 i;
    block_number++;
    /* what is set once is known from the start, in loops too */
    for (i = 0; i < code_count; i++) {
        Code *one = &code[i];
        if (one->dst > 0 && definitions[one->dst] == 1) {
            if (one->op == I_MOV && one->a < 0) learn(one->dst, KNOWN_CONSTANT, 0, one->imm);
            else if (one->op == I_ADD && one->a == FRAME && one->b < 0) learn(one->dst, KNOWN_SUM, FRAME, one->imm);
            else if (one->op == I_GLOBAL) learn(one->dst, KNOWN_GLOBAL, one->other, one->imm);
        }
    }
    for (i = 0; i < code_count; i++) {
        if (code[i].op == I_LABEL) block_number++;
        propagate_one(&code[i]);
    }
}

/* t = ...; v = t; where nobody else uses t: v = ... */
static void merge_moves(void)
{
    u32 i;
    for (i = 0; i + 1 < code_count; i++) {
        Code *one = &code[i], *move = one + 1;
        if (one->dst <= 0 || move->op != I_MOV || move->a != one->dst || move->narrow || move->dst <= 0) continue;
        if (uses[one->dst] != 1 || definitions[one->dst] != 1) continue;
        uses[one->dst] = 0;
        definitions[one->dst] = 0;
        one->dst = move->dst;
        defined_at[one->dst] = i;
        move->op = I_NONE;
        move->dst = move->a = NO_REGISTER;
    }
}

static void remove_dead(void)
{
    u32 i;
    for (i = code_count; i-- > 0;) {
        Code *one = &code[i];
        if (one->dst > 0 && uses[one->dst] == 0) {
            if (is_pure_code(one->op)) {
                count_uses(one, -1);
                one->op = I_NONE;
                one->dst = one->a = one->b = NO_REGISTER;
            } else if (one->op == I_CALL) {
                one->dst = NO_REGISTER;
            }
        }
        if (one->op == I_MOV && one->a == one->dst && !one->narrow && one->a > 0) {
            count_uses(one, -1);
            one->op = I_NONE;
            one->dst = one->a = NO_REGISTER;
        }
    }
}

static void squeeze(void)
{
    u32 i, to = 0;
    for (i = 0; i < code_count; i++)
        if (code[i].op != I_NONE) {
            if (i != to) code[to] = code[i];
            to++;
        }
    code_count = to;
}

static i32 ends_block(u32 op)
{
    return op == I_JUMP || op == I_RETURN || op == I_TRAP;
}

static void clean_jumps(void)
{
    u64 saved = scratch_bytes;
    u32 *at = scratch((u64)label_count * sizeof(u32)), *used = scratch((u64)label_count * sizeof(u32)), i, round;
    i32 changed = 1;
    for (round = 0; round < 8 && changed; round++) {
        i32 reachable = 1;
        changed = 0;
        squeeze();
        memset(used, 0, (u64)label_count * sizeof(u32));
        for (i = 0; i < code_count; i++)
            if (code[i].op == I_LABEL) at[code[i].imm] = i;
        for (i = 0; i < code_count; i++) { /* a jump to a jump */
            Code *one = &code[i];
            i32 hops = 0;
            while ((one->op == I_JUMP || one->op == I_BRANCH) && hops++ < 8) {
                i32 target = one->op == I_JUMP ? (i32)one->imm : one->other;
                u32 there = at[target];
                while (there < code_count && code[there].op == I_LABEL) there++;
                if (there >= code_count || code[there].op != I_JUMP || code[there].imm == target) break;
                if (one->op == I_JUMP) one->imm = code[there].imm;
                else one->other = (i32)code[there].imm;
                changed = 1;
            }
        }
        for (i = 0; i < code_count; i++) {
            Code *one = &code[i];
            u32 next = i + 1;
            if (!reachable && one->op != I_LABEL) {
                one->op = I_NONE;
                one->dst = one->a = one->b = NO_REGISTER;
                changed = 1;
                continue;
            }
            reachable = 1;
            if (one->op == I_BRANCH && next < code_count && code[next].op == I_JUMP && one->condition != IF_SET) {
                u32 after = next + 1;
                while (after < code_count && code[after].op == I_LABEL && code[after].imm != one->other) after++;
                if (after < code_count && code[after].op == I_LABEL) {
                    one->condition = (u8)inverse(one->condition);
                    one->other = (i32)code[next].imm;
                    code[next].op = I_NONE;
                    changed = 1;
                }
            }
            if (one->op == I_JUMP || one->op == I_BRANCH) {
                i32 target = one->op == I_JUMP ? (i32)one->imm : one->other;
                next = i + 1;
                while (next < code_count && (code[next].op == I_NONE || (code[next].op == I_LABEL && code[next].imm != target))) next++;
                if (next < code_count && code[next].op == I_LABEL) {
                    one->op = I_NONE;
                    one->a = one->b = NO_REGISTER;
                    changed = 1;
                } else {
                    used[target]++;
                }
            }
            if (ends_block(one->op)) reachable = 0;
        }
        for (i = 0; i < code_count; i++)
            if (code[i].op == I_LABEL && !used[code[i].imm]) {
                code[i].op = I_NONE;
                changed = 1;
            }
    }
    squeeze();
    scratch_bytes = saved;
}

static void optimise(void)
{
    u64 saved = scratch_bytes;
    u32 round;
    known = scratch((u64)vreg_count * sizeof *known);
    versions = scratch((u64)vreg_count * sizeof *versions);
    uses = scratch((u64)vreg_count * sizeof *uses);
    definitions = scratch((u64)vreg_count * sizeof *definitions);
    defined_at = scratch((u64)vreg_count * sizeof *defined_at);
    extension = scratch(vreg_count);
    block_number = 0;
    memset(available, 0, sizeof available);
    for (round = 0; round < 2; round++) {
        clean_jumps();
        gather_facts();
        merge_moves();
        propagate();
        remove_dead();
    }
    clean_jumps();
    scratch_bytes = saved;
}
