/* Code with its registers chosen to eBPF instructions, one function at a time. */

static u32 alu_code(u32 op)
{
    static const u8 codes[] = {ALU_ADD, ALU_SUB, ALU_MUL, ALU_DIV, ALU_MOD, ALU_AND, ALU_OR, ALU_XOR, ALU_LSH, ALU_RSH,
                               ALU_DIV, ALU_MOD, ALU_ARSH};
    return codes[op - I_ADD];
}

static i64 masked_imm(const Code *one)
{
    if (one->op == I_SHL || one->op == I_SHR || one->op == I_SAR) return one->imm & (one->narrow ? 31 : 63);
    return one->imm;
}

static void emit_binary(const Code *one, u32 i)
{
    u32 class = one->narrow ? CLASS_ALU : CLASS_ALU64, opcode = class | alu_code(one->op);
    i64 offset = one->op == I_SDIV || one->op == I_SMOD;
    u32 target = assigned[one->dst], second = 0;
    i32 first = one->a, other = one->b;
    if (again[one->dst] && !target) return;
    if (other > 0 && target && in_register(other) && machine_of(other) == target && is_commutative(one->op)) {
        first = one->b;
        other = one->a;
    }
    if (other >= 0 && target && in_register(other) && machine_of(other) == target && first != other) target = 0;
    if (other < 0) {
        fetch_into(first, target);
        word(opcode, target, 0, offset, masked_imm(one));
    } else {
        if (in_register(other)) {
            second = machine_of(other);
            fetch_into(first, target);
        } else if (target) {
            fetch_into(first, target);
            second = fetch(other, 0);
        } else {
            second = second_spare(i, in_register(first) ? machine_of(first) : 0, 0);
            fetch(other, second);
            fetch_into(first, 0);
        }
        if (second == 10) { /* the frame's end is no operand of arithmetic that is not addition */
            word(opcode | FROM_REGISTER, target, 10, offset, 0);
        } else {
            word(opcode | FROM_REGISTER, target, second, offset, 0);
        }
    }
    if (target != assigned[one->dst] || !target) {
        keep_result(one->dst, target);
    }
    give_back();
}

static u32 jump_code(u32 condition)
{
    static const u8 codes[] = {0x10, 0x50, 0xa0, 0xb0, 0x20, 0x30, 0xc0, 0xd0, 0x60, 0x70, 0x40};
    return codes[condition];
}

static void emit_jump(i32 label)
{
    fix(FIX_BRANCH)->label = label;
    if (long_jumps) word(JA32, 0, 0, 0, 0);
    else word(JA, 0, 0, 0, 0);
}

/* Jumps to `label` if a condition b; b: a register, or -1 for `imm`. */
#define NARROW 256 /* beside the condition: the low 32 bits are compared */
static void emit_condition(u32 condition_of_width, u32 a, i32 b, i64 imm, i32 label)
{
    u32 condition = condition_of_width & ~NARROW, class = condition_of_width & NARROW ? CLASS_JMP32 : CLASS_JMP;
    if (long_jumps) {
        if (condition == IF_SET) {
            word(class | jump_code(condition) | (b >= 0 ? FROM_REGISTER : 0), a, b >= 0 ? (u32)b : 0, 1,
                 b >= 0 ? 0 : imm);
            word(JA, 0, 0, 1, 0);
        } else {
            word(class | jump_code(inverse(condition)) | (b >= 0 ? FROM_REGISTER : 0), a, b >= 0 ? (u32)b : 0, 1,
                 b >= 0 ? 0 : imm);
        }
        emit_jump(label);
        return;
    }
    fix(FIX_BRANCH)->label = label;
    word(class | jump_code(condition) | (b >= 0 ? FROM_REGISTER : 0), a, b >= 0 ? (u32)b : 0, 0, b >= 0 ? 0 : imm);
}

static void emit_branch(const Code *one, u32 i)
{
    u32 a, b;
    if (one->b < 0) {
        emit_condition(one->condition | (one->narrow ? NARROW : 0u), fetch(one->a, 0), -1, one->imm, one->other);
        return;
    }
    if (in_register(one->a) || in_register(one->b)) {
        if (in_register(one->a)) {
            a = machine_of(one->a);
            b = fetch(one->b, 0);
        } else {
            b = machine_of(one->b);
            a = fetch(one->a, 0);
        }
        emit_condition(one->condition | (one->narrow ? NARROW : 0u), a, (i32)b, 0, one->other);
        return;
    }
    b = second_spare(i, 0, 0);
    fetch(one->b, b);
    a = fetch(one->a, 0);
    if (!borrowed) {
        emit_condition(one->condition | (one->narrow ? NARROW : 0u), a, (i32)b, 0, one->other);
        return;
    }
    word((one->narrow ? CLASS_JMP32 : CLASS_JMP) | jump_code(one->condition) | FROM_REGISTER, a, b, 2, 0);
    move_constant(0, 0);
    word(JA, 0, 0, 1, 0);
    move_constant(0, 1);
    give_back();
    emit_condition(IF_NE, 0, -1, 0, one->other);
}

static void emit_set(const Code *one, u32 i)
{
    u32 target = assigned[one->dst], a, b = 0, class = one->narrow ? CLASS_JMP32 : CLASS_JMP;
    a = fetch(one->a, 0);
    if (one->b >= 0) {
        if (in_register(one->b)) b = machine_of(one->b);
        else if (a != 0) b = fetch(one->b, 0);
        else {
            b = second_spare(i, target, 0);
            fetch(one->b, b);
        }
    }
    /* operands outlive the instruction: dst is neither of them, unless it is the same variable, as in x = !x */
    if (!target || borrowed || target == a || (one->b >= 0 && target == b)) {
        u32 to = borrowed ? 0 : target;
        word(class | jump_code(one->condition) | (one->b >= 0 ? FROM_REGISTER : 0), a, b, 2,
             one->b >= 0 ? 0 : one->imm);
        move_constant(to, 0);
        word(JA, 0, 0, 1, 0);
        move_constant(to, 1);
        give_back();
        if (to != target || !target) keep_result(one->dst, to);
        return;
    }
    move_constant(target, 1);
    word(class | jump_code(one->condition) | (one->b >= 0 ? FROM_REGISTER : 0), a, b, 1, one->b >= 0 ? 0 : one->imm);
    move_constant(target, 0);
}

/* An offset that fits an instruction: else the sum is made in r0. */
static u32 base_for(i32 vreg, i64 *offset, u32 spare)
{
    u32 base = fetch(vreg, spare);
    if (*offset >= -32768 && *offset <= 32767) return base;
    move_register(spare, base);
    word(CLASS_ALU64 | ALU_ADD, spare, 0, 0, *offset);
    *offset = 0;
    return spare;
}

static void emit_load(const Code *one)
{
    u32 target = assigned[one->dst];
    i64 offset = one->imm;
    u32 base = base_for(one->a, &offset, target ? target : 0);
    word(CLASS_LDX | (one->condition && one->size < 8 ? MODE_MEMSX : MODE_MEM) | size_bits(one->size), target, base,
         offset, 0);
    if (!target) keep_result(one->dst, 0);
}

static void emit_store(const Code *one, u32 i)
{
    i64 offset = one->imm;
    u32 base, value;
    if (one->b < 0) {
        base = base_for(one->a, &offset, 0);
        word(CLASS_ST | MODE_MEM | size_bits(one->size), base, 0, offset, one->other);
        return;
    }
    if (in_register(one->b)) {
        value = machine_of(one->b);
        base = base_for(one->a, &offset, 0);
    } else if (in_register(one->a) && offset >= -32768 && offset <= 32767) {
        value = fetch(one->b, 0);
        base = machine_of(one->a);
    } else {
        value = second_spare(i, in_register(one->a) ? machine_of(one->a) : 0, 0);
        fetch(one->b, value);
        base = base_for(one->a, &offset, 0);
    }
    word(CLASS_STX | MODE_MEM | size_bits(one->size), base, value, offset, 0);
    give_back();
}

static void call_symbol(Symbol *symbol)
{
    Fixup *one = fix(FIX_CALL);
    one->symbol = symbol;
    word(CALL, 0, 1, 0, -1);
}

/* Calls the function whose number is in r0, one of candidates[low .. high - 1]; each goes on at `end`. */
static void dispatch(Symbol **candidates, u32 low, u32 high, i32 end)
{
    if (high - low == 1) {
        word(CLASS_JMP | 0x10, 0, 0, 2, (i64)candidates[low]->pointer_number);
        move_constant(0, 0);
        word(CLASS_LDX | MODE_MEM | 0x18, 0, 0, 0, 0); /* it is no such function */
        call_symbol(candidates[low]);
        emit_jump(end);
        return;
    }
    {
        u32 middle = (low + high) / 2;
        i32 upper = new_label();
        emit_condition(IF_GE, 0, -1, (i64)candidates[middle]->pointer_number, upper);
        dispatch(candidates, low, middle, end);
        label_words[upper] = word_count;
        dispatch(candidates, middle, high, end);
    }
}

static u32 parameter_words(const Type *type)
{
    const Parameter *each;
    u32 count = is_record(type->base) ? 1 : 0;
    for (each = type->parameters; each; each = each->next) count++;
    return count;
}

/* Whether a call of this type may reach that function: it passes its words in the same way. */
static i32 may_be_called(const Call *call, const Symbol *symbol)
{
    const Type *type = symbol->type;
    if (!symbol->pointer_number) return 0;
    if (is_record(type->base) != is_record(call->type->base)) return 0;
    if (!type->is_prototype || !call->type->is_prototype) return 1;
    return parameter_words(type) == parameter_words(call->type);
}

static void call_pointer(const Call *call)
{
    u32 count = 0, i;
    Symbol **candidates = scratch(((u64)pointer_count + 1) * sizeof(Symbol *)), *symbol;
    i32 end = new_label();
    for (symbol = first_symbol; symbol; symbol = symbol->next)
        if (symbol->kind == A_FUNCTION && may_be_called(call, symbol)) {
            for (i = count++; i > 0 && candidates[i - 1]->pointer_number > symbol->pointer_number; i--)
                candidates[i] = candidates[i - 1];
            candidates[i] = symbol;
        }
    if (count) {
        dispatch(candidates, 0, count, end);
    } else {
        move_constant(0, 0);
        word(CLASS_LDX | MODE_MEM | 0x18, 0, 0, 0, 0);
    }
    label_words[end] = word_count;
}

static void emit_call_code(const Code *one)
{
    const Call *call = calls[one->other];
    u32 to[5], from[5], pending = 0, i, k, done;
    for (i = 0; i < call->count; i++)
        if (call->arguments[i].vreg >= 0 && in_register(call->arguments[i].vreg)) {
            u32 source = machine_of(call->arguments[i].vreg);
            if (source == i + 1) continue;
            to[pending] = i + 1;
            from[pending++] = source;
        }
    while (pending) {
        done = 0;
        for (i = 0; i < pending; i++) {
            for (k = 0; k < pending; k++)
                if (k != i && from[k] == to[i]) break;
            if (k < pending) continue;
            move_register(to[i], from[i]);
            pending--;
            to[i] = to[pending];
            from[i] = from[pending];
            done = 1;
            break;
        }
        if (!done) { /* a cycle */
            u32 freed = from[0];
            move_register(0, freed);
            for (k = 0; k < pending; k++)
                if (from[k] == freed) from[k] = 0;
        }
    }
    for (i = 0; i < call->count; i++) {
        const Operand *argument = &call->arguments[i];
        if (argument->vreg < 0) move_constant(i + 1, argument->imm);
        else if (!in_register(argument->vreg)) fetch_into(argument->vreg, i + 1);
    }
    if (call->callee) {
        call_symbol(call->callee);
    } else {
        fetch_into(one->a, 0);
        call_pointer(call);
    }
    if (one->dst > 0) keep_result(one->dst, 0);
}

static void emit_one(const Code *one, u32 i)
{
    u32 target = one->dst > 0 ? assigned[one->dst] : 0;
    emitted_position = one->position;
    if (one->dst > 0 && !target && again[one->dst] && !(one->op == I_CALL)) return;
    switch (one->op) {
    case I_LABEL: label_words[one->imm] = word_count; break;
    case I_MOV:
        if (one->a < 0) {
            move_constant(target, one->imm);
            if (!target) keep_result(one->dst, 0);
        } else if (one->narrow) {
            word(CLASS_ALU | FROM_REGISTER | ALU_MOV, target, fetch(one->a, target), 0, 0);
            if (!target) keep_result(one->dst, 0);
        } else if (target) {
            fetch_into(one->a, target);
        } else {
            keep_result(one->dst, fetch(one->a, 0));
        }
        break;
    case I_SEXT:
        word(CLASS_ALU64 | FROM_REGISTER | ALU_MOV, target, fetch(one->a, target), one->size * 8, 0);
        if (!target) keep_result(one->dst, 0);
        break;
    case I_NEG:
        fetch_into(one->a, target);
        word((one->narrow ? CLASS_ALU : CLASS_ALU64) | ALU_NEG, target, 0, 0, 0);
        if (!target) keep_result(one->dst, 0);
        break;
    case I_SWAP:
        fetch_into(one->a, target);
        word(CLASS_ALU64 | ALU_END, target, 0, 0, one->size * 8);
        if (!target) keep_result(one->dst, 0);
        break;
    case I_SET: emit_set(one, i); break;
    case I_LOAD: emit_load(one); break;
    case I_STORE: emit_store(one, i); break;
    case I_GLOBAL:
        move_global(target, globals[one->other], one->imm);
        if (!target) keep_result(one->dst, 0);
        break;
    case I_PARAMETER: keep_result(one->dst, (u32)one->imm); break;
    case I_CALL: emit_call_code(one); break;
    case I_RETURN:
        if (one->a >= 0) fetch_into(one->a, 0);
        word(EXIT, 0, 0, 0, 0);
        break;
    case I_JUMP: emit_jump((i32)one->imm); break;
    case I_BRANCH: emit_branch(one, i); break;
    case I_TRAP:
        move_constant(0, 0);
        word(CLASS_LDX | MODE_MEM | 0x18, 0, 0, 0, 0);
        word(EXIT, 0, 0, 0, 0);
        break;
    default: emit_binary(one, i);
    }
}

static void patch_branches(void)
{
    Fixup *one;
    for (one = branch_fixups; one; one = one->next) {
        i64 distance = (i64)label_words[one->label] - one->at - 1;
        u32 opcode = (u32)words[one->at] & 0xff;
        if (opcode == JA32) words[one->at] |= (u64)(u32)distance << 32;
        else words[one->at] = (words[one->at] & ~0xffff0000ULL) | (u64)((u32)distance & 0xffff) << 16;
    }
}

/* How many labels calls through pointers will need at most. */
static u64 dispatch_labels(void)
{
    u64 count = 1;
    u32 i;
    for (i = 0; i < code_count; i++)
        if (code[i].op == I_CALL && !calls[code[i].other]->callee) count += pointer_count + 2;
    return count;
}

/* The words take the place of the intermediate code, which nobody needs any more, if they fit there. */
static void keep_words(Function *function)
{
    u64 bytes = (u64)word_count * 8, lines = (u64)word_count * sizeof(u32);
    u8 *room = (u8 *)function->code;
    if (bytes + lines > (u64)function->count * sizeof(Code)) room = keep(bytes + lines);
    function->code = 0;
    function->words = (u64 *)room;
    memcpy(room, words, bytes);
    function->positions = (u32 *)(room + bytes);
    memcpy(room + bytes, word_positions, lines);
}

static void check_frame(const Symbol *symbol)
{
    if (frame_bytes <= MAX_FRAME) return;
    begin_error(symbol->position);
    say("what ");
    say_name(symbol->name);
    say(" needs in its frame takes ");
    say_number(frame_bytes);
    say(" bytes, but a frame has ");
    say_number(MAX_FRAME);
    end_message();
    hint("split it up, or declare static what is big");
}

static void emit_function(Function *function)
{
    u64 saved = scratch_bytes;
    u32 i;
    current_function = function->symbol;
    memcpy(code, function->code, (u64)function->count * sizeof(Code));
    code_count = function->count;
    vreg_count = function->vregs;
    label_count = function->labels;
    frame_bytes = function->frame_bytes;
    if (chained_pointers || some_unwind) complete_calls(function);
    optimise();
    definitions = scratch((u64)vreg_count * sizeof *definitions);
    for (i = 0; i < code_count; i++)
        if (code[i].dst > 0) definitions[code[i].dst]++;
    allocate_registers();
    label_words = scratch(((u64)label_count + dispatch_labels()) * sizeof(u32));
    fixups = branch_fixups = 0;
    word_count = 0;
    emergency = 0;
    long_jumps = code_count > 5000;
    for (i = 0; i < code_count; i++) emit_one(&code[i], i);
    if (code_count == 0 || !ends_block(code[code_count - 1].op)) word(EXIT, 0, 0, 0, 0);
    patch_branches();
    keep_words(function);
    function->word_count = word_count;
    function->fixups = fixups;
    function->frame_bytes = frame_bytes;
    check_frame(function->symbol);
    current_function = 0;
    scratch_bytes = saved;
}
