/* One instruction to a cheaper one that sets its register to the same 64 bits, by what is known of its operands. */

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
                if (between->op == I_LABEL || (between->dst > 0 && (between->dst == set->a || between->dst == set->b)))
                    changed = 1;
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
        } else if (from->op == I_LOAD && from->dst == one->a && from->size == 4 && uses[one->a] == 1 &&
                   definitions[one->a] == 1) {
            from->condition = 1;
            memory_version++; /* what was loaded so far is shared no more: it may be this */
            extension[one->a] = 2;
            one->op = I_MOV;
            one->narrow = 0;
        }
    }
}
