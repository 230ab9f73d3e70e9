/* One function's code to shorter code that does the same.
 *
 * `propagate` goes forward through each block and simplifies each instruction by what is known so far. `remove_dead`
 * drops what nobody uses, `clean_jumps` what nobody reaches. A rewritten instruction sets all 64 bits of its register
 * as the old one did.
 */

/* A value that a register holds, found again by what computed it. */
#define AVAILABLE 256
typedef struct {
    Code made;
    u32 version_a, version_b, version_dst, memory;
    u32 block; /* in which it was computed; 0: the entry is empty */
} Available;

static Available available[AVAILABLE];

static u32 version_of(i32 vreg)
{
    return vreg > 0 ? versions[vreg] : 0;
}

static i32 may_be_shared(const Code *one)
{
    return one->dst > 0 && one->a >= 0 && one->dst != one->a && one->dst != one->b &&
           (is_binary_code(one->op) || one->op == I_SEXT || one->op == I_LOAD || one->op == I_NEG ||
            (one->op == I_MOV && one->narrow));
}

/* Takes what was computed in this block before, if it is the same. */
static void share(Code *one)
{
    u32 hash = (one->op * 31u + (u32)one->a * 17u + (u32)one->b * 13u + (u32)one->imm * 7u + one->size) % AVAILABLE;
    Available *entry = &available[hash];
    const Code *made = &entry->made;
    if (entry->block == block_number && made->op == one->op && made->a == one->a && made->b == one->b &&
        made->imm == one->imm && made->narrow == one->narrow && made->size == one->size &&
        made->condition == one->condition &&
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
    if (!string->is_string || size_of(string->type->base) != 1) return 0;
    if (argument->imm < 0 || argument->imm >= string->type->count) return 0;
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
        if (constant_of(one->a, &value))
            becomes_constant(one, one->narrow ? (i64)(u32)(0 - (u64)value) : (i64)(0 - (u64)value));
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
        else if (one->op == I_MOV && !one->narrow && one->a > 0 && one->a != one->dst)
            learn(one->dst, KNOWN_COPY, one->a, 0);
        else if (one->op == I_ADD && !one->narrow && one->b < 0 && one->a != one->dst)
            learn(one->dst, KNOWN_SUM, one->a, one->imm);
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
                while (next < code_count &&
                       (code[next].op == I_NONE || (code[next].op == I_LABEL && code[next].imm != target)))
                    next++;
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
