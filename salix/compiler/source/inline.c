/* Calls of small functions, replaced by their code. Only what is defined above its caller is known here. */

#define SMALL_FUNCTION 12  /* instructions */
#define INLINE_FUNCTION 80 /* of one that is declared inline */
#define MAX_INLINED 4000   /* no function grows beyond that by what is put into it */

static i64
    inline_frame; /* end of the part of the frame that inlined functions share: one is over when the next starts */
static i64 inline_room;

static i32 may_inline(const Symbol *callee)
{
    const Function *function = callee->function;
    u32 limit = callee->is_inline == 2 ? MAX_INLINED : callee->is_inline == 1 ? INLINE_FUNCTION : SMALL_FUNCTION;
    if (!function || !function->code || callee->is_inline == 3 || callee->is_weak || callee->section_name) return 0;
    if (function->count > limit || code_count + function->count > MAX_INLINED) return 0;
    return function->frame_bytes <= inline_room || frame_bytes + function->frame_bytes < 2048;
}

static i32 moved(i32 vreg, i32 base)
{
    return vreg > 0 ? vreg + base : vreg;
}

static void inline_call(const Call *call, i32 dst)
{
    const Function *function = call->callee->function;
    i32 base = (i32)vreg_count - 1, label_base = (i32)label_count, end, position = (i32)lowered_position;
    u32 i, k;
    vreg_count += function->vregs - 1;
    label_count += function->labels;
    end = new_label();
    if (function->frame_bytes > inline_room) {
        inline_room = round_up(function->frame_bytes, 8);
        inline_frame = frame_room(inline_room, 8) + inline_room;
    }
    for (i = 0; i < function->count; i++) {
        const Code *from = &function->code[i];
        Code *to;
        if (from->op == I_PARAMETER) {
            static const Operand missing = {NO_REGISTER, 0};
            const Operand *argument = (u32)from->imm > call->count ? &missing : &call->arguments[from->imm - 1];
            to = put(I_MOV, moved(from->dst, base), argument->vreg, NO_REGISTER, argument->imm);
            to->position = from->position;
            continue;
        }
        if (from->op == I_RETURN) {
            if (dst > 0) {
                to = put(I_MOV, dst, moved(from->a, base), NO_REGISTER, 0);
                to->position = from->position;
            }
            if (i + 1 < function->count) jump(end);
            continue;
        }
        to = put(from->op, moved(from->dst, base), moved(from->a, base), moved(from->b, base), from->imm);
        to->narrow = from->narrow;
        to->size = from->size;
        to->condition = from->condition;
        to->other = from->other;
        to->position = from->position;
        if (from->a == FRAME) to->imm += inline_frame;
        if (from->op == I_LABEL || from->op == I_JUMP) to->imm += label_base;
        if (from->op == I_BRANCH) to->other += label_base;
        if (from->op == I_CALL) {
            Call *copy;
            to->other = call_number(calls[from->other]);
            copy = calls[to->other];
            for (k = 0; k < copy->count; k++) {
                if (copy->arguments[k].vreg == FRAME) continue;
                copy->arguments[k].vreg = moved(copy->arguments[k].vreg, base);
            }
            if (landing) check_landing();
        }
    }
    place_label(end);
    lowered_position = (u32)position;
}
