/* Typed expressions to intermediate code: addresses, values, and branches on truth. */

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
        if (node->type->kind == TYPE_BOOL ||
            (is_scalar(node->type) && size_of(node->type) >= size_of(node->a->type) && is_scalar(node->a->type))) {
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
