/* Statements and whole functions to intermediate code. */

static i32 break_label, continue_label;

static void lower_statement(Node *node);
static void lower_way_out(Node *node);
static void lower_landing(void);

static void lower_statements(Node *node)
{
    for (; node; node = node->next) lower_statement(node);
}

static void lower_loop(Node *node)
{
    i32 top = new_label(), test = new_label(), end = new_label(), outer_break = break_label,
        outer_continue = continue_label;
    i32 next = node->c ? new_label() : test;
    break_label = end;
    continue_label = next;
    lower_statements(node->a);
    if (!node->op && node->b) branch_on(node->b, end, 0); /* tested once here, then at the end of each round */
    place_label(top);
    lower_statements(node->d);
    if (node->c) {
        place_label(next);
        lower_statement(node->c);
    }
    place_label(test);
    if (node->b) branch_on(node->b, top, 1);
    else jump(top);
    place_label(end);
    break_label = outer_break;
    continue_label = outer_continue;
}

static void case_branch(i32 value, u32 condition, i64 against, i32 label, i32 narrow)
{
    i32 constant_register = number(against);
    Code *one = emit(I_BRANCH, NO_REGISTER, value, constant_register, 0);
    one->condition = (u8)condition;
    one->narrow = (u8)narrow;
    one->other = label;
}

/* Branches to the cases of sorted[low .. high - 1]; to `otherwise` if there is none. */
static void lower_cases(Node **sorted, u32 low, u32 high, i32 value, i32 otherwise)
{
    Node *node;
    i32 narrow = is_narrow(sorted[0]->computed), natural = is_unsigned(sorted[0]->computed);
    u32 i;
    if (high - low > 3) {
        u32 middle = (low + high) / 2;
        i32 upper = new_label();
        case_branch(value, natural ? IF_GE : IF_SGE, sorted[middle]->value, upper, narrow);
        lower_cases(sorted, low, middle, value, otherwise);
        place_label(upper);
        lower_cases(sorted, middle, high, value, otherwise);
        return;
    }
    for (i = low; i < high; i++) {
        node = sorted[i];
        if (node->value == node->last_value) {
            case_branch(value, IF_EQ, node->value, node->target, narrow);
        } else {
            i32 past = new_label();
            case_branch(value, natural ? IF_LT : IF_SLT, node->value, past, narrow);
            case_branch(value, natural ? IF_LE : IF_SLE, node->last_value, node->target, narrow);
            place_label(past);
        }
    }
    jump(otherwise);
}

static void lower_switch(Node *node)
{
    i32 value = lower(node->a), end = new_label(), outer = break_label;
    i32 copy = new_vreg(), otherwise = end;
    u32 count = 0, i, k;
    Node *each, **sorted;
    emit(I_MOV, copy, value, NO_REGISTER, 0);
    for (each = node->b->b; each; each = each->b) count++;
    sorted = scratch((u64)count * sizeof(Node *) + 8);
    count = 0;
    for (each = node->b->b; each; each = each->b) {
        each->target = new_label();
        each->computed = node->computed;
        for (i = count++; i > 0; i--) {
            k = is_unsigned(node->computed) ? (u64)sorted[i - 1]->value > (u64)each->value
                                            : sorted[i - 1]->value > each->value;
            if (!k) break;
            sorted[i] = sorted[i - 1];
        }
        sorted[i] = each;
    }
    if (node->c) otherwise = node->c->target = new_label();
    if (count) lower_cases(sorted, 0, count, copy, otherwise);
    else jump(otherwise);
    break_label = end;
    lower_statements(node->d);
    break_label = outer;
    place_label(end);
}

static i32 label_target(LabelUse *label)
{
    if (label->target < 0) label->target = new_label();
    return label->target;
}

static void lower_return(Node *node)
{
    i32 value = NO_REGISTER;
    if (node->a && is_record(node->a->type) && is_record(current_result)) {
        i32 from = lower_address(node->a);
        i64 offset = address_offset;
        copy_bytes(result_pointer, 0, from, offset, size_of(current_result));
    } else if (node->a) {
        value = lower(node->a);
        if (current_result->kind == TYPE_VOID) value = NO_REGISTER;
        if (value != NO_REGISTER && !current_function->is_static) value = extended(value, current_result);
    }
    emit(I_RETURN, NO_REGISTER, value, NO_REGISTER, 0);
}

static void lower_statement(Node *node)
{
    lowered_position = node->position;
    go_deeper(node->position);
    switch (node->kind) {
    case S_EXPRESSION:
        if (node->b) {
            node->target = is_record(node->b->type) ? NO_REGISTER : lower(node->b);
            if (node->target > 0 && node->b->kind == N_SYMBOL) { /* the variable may change later */
                i32 copy = new_vreg();
                emit(I_MOV, copy, node->target, NO_REGISTER, 0);
                node->target = copy;
            }
        } else if (is_record(node->a->type) && node->a->kind != N_ASSIGN) {
            lower_address(node->a);
        } else {
            lower(node->a);
        }
        break;
    case S_BLOCK:
        lower_statements(node->a);
        lower_statements(node->b);
        break;
    case S_IF: {
        i32 end = new_label();
        for (;;) { /* one `else if` after the other */
            i32 otherwise = new_label();
            branch_on(node->b, otherwise, 0);
            lower_statement(node->c);
            if (node->d) jump(end);
            place_label(otherwise);
            node = node->d;
            if (!node || node->kind != S_IF) break;
        }
        if (node) lower_statement(node);
        place_label(end);
        break;
    }
    case S_LOOP: lower_loop(node); break;
    case S_SWITCH: lower_switch(node); break;
    case S_CASE:
        for (; node && node->kind == S_CASE && !node->next; node = node->a)
            if (node->target) place_label(node->target);
        if (node && node->kind == S_CASE) {
            if (node->target) place_label(node->target);
            node = node->a;
        }
        lower_statements(node);
        break;
    case S_LABEL:
        place_label(label_target(node->label));
        lower_statements(node->a);
        break;
    case S_GOTO:
        if (node->d && node->label) lower_statements(calls_of_goto(node->d, node->label->cleanups));
        if (node->b) {
            lower_way_out(node);
        } else if (node->a) {
            i32 value = lower(node->a);
            LabelUse *label;
            for (label = labels; label; label = label->next)
                if (label->address) case_branch(value, IF_EQ, label->address, label_target(label), 0);
            emit(I_TRAP, NO_REGISTER, NO_REGISTER, NO_REGISTER, 0);
        } else {
            jump(label_target(node->label));
        }
        break;
    case S_BREAK: jump(break_label); break;
    case S_CONTINUE: jump(continue_label); break;
    case S_RETURN: lower_return(node); break;
    case S_ZERO: {
        Node *place = symbol_node(node->symbol, node->position);
        i32 base = lower_address(place);
        i64 offset = address_offset;
        zero_bytes(base, offset, size_of(node->symbol->type));
        break;
    }
    default: break;
    }
    if (some_in_use && !inside_expression) release_temporaries();
    lowering_depth--;
}

/* Takes the parameters from where the caller put them. */
static void lower_parameters(Symbol *parameters)
{
    i32 words[5], block = NO_REGISTER;
    u32 count = is_record(current_result) ? 1 : 0, i, at = count;
    Symbol *each, *following;
    for (each = parameters; each; each = each->next) count++;
    for (i = 0; i < count && i < 5; i++) {
        words[i] = new_vreg();
        emit(I_PARAMETER, words[i], NO_REGISTER, NO_REGISTER, i + 1);
    }
    if (count > 5) block = words[4];
    if (at) result_pointer = words[0];
    for (each = parameters; each; each = following, at++) {
        i32 value;
        following = each->next;
        each->next = 0; /* a parameter that does not fit the frame joins the static objects */
        if (at >= 4 && count > 5) {
            value = new_vreg();
            emit(I_LOAD, value, block, NO_REGISTER, (i64)(at - 4) * 8)->size = 8;
        } else {
            value = words[at];
        }
        if (is_error(each->type)) continue;
        if (is_record(each->type)) {
            Node *place = symbol_node(each, each->position);
            i32 base = lower_address(place);
            i64 offset = address_offset;
            copy_bytes(base, offset, value, 0, size_of(each->type));
        } else if (lives_in_register(each)) {
            each->vreg = new_vreg();
            if (size_of(each->type) < 4) value = converted(value, &type_int, each->type);
            emit(I_MOV, each->vreg, value, NO_REGISTER, 0);
        } else {
            place_local(each);
            store(FRAME, each->value, size_of(each->type), value);
        }
    }
}

#define AT_END 1 /* marks a return that the program does not spell */

static void warn_of_end(const Symbol *symbol)
{
    u32 i;
    if (current_result->kind == TYPE_VOID || symbol->name == intern_text("main")) return;
    for (i = 0; i < code_count; i++)
        if (code[i].op == I_RETURN && code[i].other == AT_END)
            warning_about(code[i].position, "the function ", symbol->name, " may end here without returning a value");
}

static void lower_function(Symbol *symbol, Node *body)
{
    Function *function = keep(sizeof *function);
    symbol->function = function;
    function->symbol = symbol;
    code_count = 0;
    vreg_count = 1;
    label_count = 1;
    frame_bytes = within->frame_bytes;
    inline_room = 0;
    temporary_count = some_in_use = 0;
    landing = within->is_landed_in ? new_label() : 0;
    lowered_position = symbol->position;
    lower_chain();
    lower_parameters((Symbol *)symbol->data);
    lower_statements(body->a);
    lower_statements(body->b);
    lowered_position = (u32)body->value;
    if (code_count == 0 || code[code_count - 1].op != I_RETURN) {
        i32 value = NO_REGISTER;
        if (current_result->kind != TYPE_VOID && !is_record(current_result)) value = number(0);
        emit(I_RETURN, NO_REGISTER, value, NO_REGISTER, 0)->other = AT_END;
    }
    if (landing) lower_landing();
    function->is_not_reentrant = within->is_not_reentrant;
    function->is_landed_in = within->is_landed_in;
    optimise(); /* so that it is small where it is put into others */
    warn_of_end(symbol);
    function->code = keep((u64)code_count * sizeof(Code));
    memcpy(function->code, code, (u64)code_count * sizeof(Code));
    function->count = code_count;
    function->vregs = vreg_count;
    function->labels = label_count;
    function->frame_bytes = frame_bytes;
    if (last_function) last_function->next = function;
    else first_function = function;
    last_function = function;
}
