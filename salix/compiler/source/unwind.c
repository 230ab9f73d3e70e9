/* A goto from a nested function to a label of one around it.
 *
 * It leaves the frame that is meant and the label's number in hidden words, and returns. Whatever was called on the way
 * returns too, as soon as it sees the word: behind each call that may end so there is a look at it. The function whose
 * frame it is goes to the label. Where no nested function does that, calls are as they are.
 */

static u8 some_unwind;

/* In the nested function. */
static void lower_way_out(Node *node)
{
    i32 frame = lower(node->b);
    store_hidden(WORD_FRAME, frame);
    store_hidden(WORD_LABEL, number(node->label->address));
    emit(I_RETURN, NO_REGISTER, NO_REGISTER, NO_REGISTER, 0);
    current_function->function->may_unwind = some_unwind = 1;
}

/* At the end of the function whose labels are gone to. */
static void lower_landing(void)
{
    LabelUse *label;
    i32 frame, value, own, found = new_label();
    Code *one;
    place_label(landing);
    frame = load_hidden(WORD_FRAME);
    own = frame_address(0);
    one = emit(I_BRANCH, NO_REGISTER, frame, own, 0);
    one->condition = IF_EQ;
    one->other = found;
    emit(I_RETURN, NO_REGISTER, NO_REGISTER, NO_REGISTER, 0);
    place_label(found);
    store_hidden(WORD_FRAME, number(0));
    value = load_hidden(WORD_LABEL);
    for (label = labels; label; label = label->next)
        if (label->is_remote) {
            i32 address = number(label->address);
            one = emit(I_BRANCH, NO_REGISTER, value, address, 0);
            one->condition = IF_EQ;
            one->other = label_target(label);
        }
    emit(I_TRAP, NO_REGISTER, NO_REGISTER, NO_REGISTER, 0);
}

/* Whether this call may return because of a goto. */
static i32 call_may_unwind(const Code *one)
{
    const Symbol *callee = calls[one->other]->callee;
    return !callee || (callee->function && callee->function->may_unwind);
}

static void find_unwinding(void)
{
    Function *function;
    u32 i;
    i32 changed = some_unwind;
    while (changed) {
        changed = 0;
        for (function = first_function; function; function = function->next)
            for (i = 0; !function->may_unwind && i < function->count; i++) {
                const Code *one = &function->code[i];
                if (one->op == I_CALL && call_may_unwind(one)) function->may_unwind = changed = 1;
            }
    }
}

/* What a function's calls need in a program that has pointers to nested functions, or gotos out of them. */
static void complete_calls(const Function *function)
{
    Code *old = scratch((u64)code_count * sizeof(Code));
    u32 count = code_count, i;
    i32 leave = new_label(), leaves = 0;
    memcpy(old, code, (u64)code_count * sizeof(Code));
    code_count = 0;
    for (i = 0; i < count; i++) {
        Code *one = &old[i], *copy;
        i32 is_call = one->op == I_CALL, is_pointer = is_call && !calls[one->other]->callee;
        lowered_position = one->position;
        if (is_pointer && chained_pointers) one->a = unchained(one->a);
        copy = put(one->op, one->dst, one->a, one->b, one->imm);
        *copy = *one;
        if (!is_call || !some_unwind || function->is_landed_in || !call_may_unwind(one)) continue;
        landing = leave;
        check_landing();
        leaves = 1;
    }
    landing = 0;
    if (!leaves) return;
    place_label(leave);
    emit(I_RETURN, NO_REGISTER, NO_REGISTER, NO_REGISTER, 0);
}
