/* Virtual registers to r1 to r9, or to places in the frame.
 *
 * Instruction i reads at position 2i and writes at 2i + 1. A virtual register is live in segments of positions. Each
 * machine register has a bitmap of the positions at which it is taken, so that segments with gaps between them cost
 * nothing to respect. Those that are used often in few positions choose first. r0 belongs to no one: it takes results
 * and serves `emit` as the place for what is in the frame.
 */

typedef struct Segment {
    struct Segment *next;
    u32 start, end; /* both belong to it */
} Segment;

typedef struct {
    u32 start, end; /* instructions [start, end) */
    i32 next, branch; /* blocks; -1 */
    u64 *in;
    u64 *out;
    u64 *made; /* set before use */
} Block;

#define MACHINE_REGISTERS 10
#define MAX_SLOT_MAPS 480
#define MAX_LIVENESS_WORDS (96 << 10)

static Segment **segments;
static u64 *taken[MACHINE_REGISTERS];
static u64 *slot_taken[MAX_SLOT_MAPS];
static u32 slot_count;
static i64 slot_base;
static u8 *assigned;  /* machine register of each virtual one; 0: it is in the frame or computed anew */
static i32 *slots;    /* offset of its place in the frame */
static Code **again;  /* what computes it anew instead: a constant or an address */
static u32 *weights, *lengths;
static i32 *hints;
static u32 map_words;
static u32 register_limit = 9; /* fewer, to test what is done when they run out */

static i32 is_taken(const u64 *map, const Segment *segment)
{
    for (; segment; segment = segment->next) {
        u32 first = segment->start / 64, last = segment->end / 64, i;
        for (i = first; i <= last; i++) {
            u64 mask = ~0ULL;
            if (i == first) mask &= ~0ULL << (segment->start & 63);
            if (i == last) mask &= ~0ULL >> (63 - (segment->end & 63));
            if (map[i] & mask) return 1;
        }
    }
    return 0;
}

static void take_segments(u64 *map, const Segment *segment)
{
    for (; segment; segment = segment->next) {
        u32 first = segment->start / 64, last = segment->end / 64, i;
        for (i = first; i <= last; i++) {
            u64 mask = ~0ULL;
            if (i == first) mask &= ~0ULL << (segment->start & 63);
            if (i == last) mask &= ~0ULL >> (63 - (segment->end & 63));
            map[i] |= mask;
        }
    }
}

static void take_range(u32 machine, u32 start, u32 end)
{
    Segment segment;
    segment.next = 0;
    segment.start = start;
    segment.end = end;
    take_segments(taken[machine], &segment);
}

static void add_segment(i32 vreg, u32 start, u32 end)
{
    Segment *one = segments[vreg];
    lengths[vreg] += end - start + 1;
    if (one && one->start == end + 1) {
        one->start = start;
        return;
    }
    one = scratch(sizeof *one);
    one->start = start;
    one->end = end;
    one->next = segments[vreg];
    segments[vreg] = one;
}

/* ---- blocks and liveness ---- */

static Block *blocks;
static u32 block_count;
static i32 *dense; /* number of a register that lives across blocks, else -1 */
static i32 *sparse;
static u32 dense_count;
static u32 set_words;

static void find_blocks(void)
{
    i32 *block_of = scratch((u64)label_count * sizeof(i32));
    u32 i;
    blocks = scratch(((u64)code_count + 1) * sizeof(Block));
    block_count = 0;
    for (i = 0; i < code_count;) {
        Block *block = &blocks[block_count++];
        block->start = i;
        block->next = block->branch = -1;
        do {
            if (code[i].op == I_LABEL) block_of[code[i].imm] = (i32)block_count - 1;
            i++;
        } while (i < code_count && code[i].op != I_LABEL && code[i - 1].op != I_BRANCH && !ends_block(code[i - 1].op));
        block->end = i;
    }
    for (i = 0; i < block_count; i++) {
        Code *last = &code[blocks[i].end - 1];
        if (!ends_block(last->op) && i + 1 < block_count) blocks[i].next = (i32)i + 1;
        if (last->op == I_JUMP) blocks[i].branch = block_of[last->imm];
        if (last->op == I_BRANCH) blocks[i].branch = block_of[last->other];
    }
}

static void note_dense(i32 vreg, const u32 *made_in, u32 block)
{
    if (vreg <= 0 || dense[vreg] >= 0 || made_in[vreg] == block + 1) return;
    dense[vreg] = (i32)dense_count;
    sparse[dense_count++] = vreg;
}

static void find_dense(void)
{
    u32 *made_in = scratch((u64)vreg_count * sizeof(u32)), i, b, k;
    dense = scratch((u64)vreg_count * sizeof(i32));
    sparse = scratch((u64)vreg_count * sizeof(i32));
    dense_count = 0;
    for (i = 0; i < vreg_count; i++) dense[i] = -1;
    for (b = 0; b < block_count; b++)
        for (i = blocks[b].start; i < blocks[b].end; i++) {
            Code *one = &code[i];
            note_dense(one->a, made_in, b);
            note_dense(one->b, made_in, b);
            if (one->op == I_CALL)
                for (k = 0; k < calls[one->other]->count; k++)
                    note_dense(calls[one->other]->arguments[k].vreg, made_in, b);
            if (one->dst > 0) made_in[one->dst] = b + 1;
        }
}

static void set_bit(u64 *set, u32 bit)
{
    set[bit / 64] |= 1ULL << (bit & 63);
}

static i32 has_bit(const u64 *set, u32 bit)
{
    return (set[bit / 64] >> (bit & 63)) & 1;
}

static void note_use(Block *block, i32 vreg)
{
    if (vreg > 0 && dense[vreg] >= 0 && !has_bit(block->made, (u32)dense[vreg])) set_bit(block->in, (u32)dense[vreg]);
}

static void find_liveness(void)
{
    u32 b, i, k;
    i32 changed = 1;
    set_words = (dense_count + 63) / 64;
    for (b = 0; b < block_count; b++) {
        blocks[b].in = scratch((u64)set_words * 8);
        blocks[b].out = scratch((u64)set_words * 8);
        blocks[b].made = scratch((u64)set_words * 8);
        for (i = blocks[b].start; i < blocks[b].end; i++) {
            Code *one = &code[i];
            note_use(&blocks[b], one->a);
            note_use(&blocks[b], one->b);
            if (one->op == I_CALL)
                for (k = 0; k < calls[one->other]->count; k++)
                    note_use(&blocks[b], calls[one->other]->arguments[k].vreg);
            if (one->dst > 0 && dense[one->dst] >= 0) set_bit(blocks[b].made, (u32)dense[one->dst]);
        }
    }
    while (changed) {
        changed = 0;
        for (b = block_count; b-- > 0;) {
            Block *block = &blocks[b];
            for (i = 0; i < set_words; i++) {
                u64 out = 0, in;
                if (block->next >= 0) out |= blocks[block->next].in[i];
                if (block->branch >= 0) out |= blocks[block->branch].in[i];
                block->out[i] = out;
                in = block->in[i] | (out & ~block->made[i]);
                if (in != block->in[i]) {
                    block->in[i] = in;
                    changed = 1;
                }
            }
        }
    }
}

/* ---- segments and weights ---- */

static u32 *open_ends; /* end + 1 of the segment that is open while a block is read backwards */

static void note_read(i32 vreg, u32 position, u32 weight)
{
    if (vreg <= 0) return;
    weights[vreg] += weight;
    if (!open_ends[vreg]) open_ends[vreg] = position + 1;
}

/* Whether b must outlive the instruction: dst is written before it is read. */
static i32 keeps_second(const Code *one)
{
    return (is_binary_code(one->op) && !is_commutative(one->op)) || one->op == I_SET;
}

static void find_segments(const u8 *depth)
{
    static const u32 factors[] = {1, 8, 64, 512, 4096};
    u32 b, i, k;
    open_ends = scratch((u64)vreg_count * sizeof(u32));
    for (b = block_count; b-- > 0;) {
        Block *block = &blocks[b];
        for (i = 0; i < dense_count; i++)
            if (has_bit(block->out, i)) open_ends[sparse[i]] = 2 * block->end; /* one past the block's last position */
        for (i = block->end; i-- > block->start;) {
            Code *one = &code[i];
            u32 weight = factors[depth[i] > 4 ? 4 : depth[i]];
            if (one->dst > 0) {
                u32 end = open_ends[one->dst] ? open_ends[one->dst] - 1 : 2 * i + 1;
                add_segment(one->dst, 2 * i + 1, end < 2 * i + 1 ? 2 * i + 1 : end);
                open_ends[one->dst] = 0;
                weights[one->dst] += weight;
            }
            if (one->op == I_CALL) {
                const Call *call = calls[one->other];
                note_read(one->a, 2 * i + 1, weight);
                for (k = 0; k < call->count; k++) {
                    i32 vreg = call->arguments[k].vreg;
                    note_read(vreg, 2 * i, weight);
                    if (vreg > 0 && !hints[vreg]) hints[vreg] = -(i32)(k + 1);
                }
                for (k = 1; k <= 5; k++) take_range(k, 2 * i + 1, 2 * i + 1);
            } else {
                note_read(one->a, one->op == I_SET ? 2 * i + 1 : 2 * i, weight);
                note_read(one->b, keeps_second(one) ? 2 * i + 1 : 2 * i, weight);
            }
            if (one->op == I_PARAMETER) {
                take_range((u32)one->imm, 0, 2 * i);
                hints[one->dst] = -(i32)one->imm;
            }
            if (one->dst > 0 && one->a > 0 && (one->op == I_MOV || is_binary_code(one->op))) {
                if (!hints[one->dst]) hints[one->dst] = one->a;
                if (one->op == I_MOV && !hints[one->a]) hints[one->a] = one->dst;
            }
        }
        for (i = 0; i < dense_count; i++)
            if (has_bit(block->in, i) && open_ends[sparse[i]]) {
                add_segment(sparse[i], 2 * block->start, open_ends[sparse[i]] - 1);
                open_ends[sparse[i]] = 0;
            }
    }
}

static void find_depth(u8 *depth)
{
    u32 *at = scratch((u64)label_count * sizeof(u32)), i;
    i32 *change = scratch(((u64)code_count + 2) * sizeof(i32)), level = 0;
    for (i = 0; i < code_count; i++)
        if (code[i].op == I_LABEL) at[code[i].imm] = i;
    for (i = 0; i < code_count; i++) {
        u32 target = code[i].op == I_JUMP ? at[code[i].imm] : code[i].op == I_BRANCH ? at[code[i].other] : code_count;
        if (target <= i) {
            change[target]++;
            change[i + 1]--;
        }
    }
    for (i = 0; i < code_count; i++) {
        level += change[i];
        depth[i] = (u8)(level > 4 ? 4 : level);
    }
}

/* ---- choosing ---- */

static i32 try_register(i32 vreg, u32 machine)
{
    if (machine < 1 || machine > register_limit || is_taken(taken[machine], segments[vreg])) return 0;
    assigned[vreg] = (u8)machine;
    take_segments(taken[machine], segments[vreg]);
    return 1;
}

static void place_in_frame(i32 vreg)
{
    u32 i;
    for (i = 0; i < slot_count; i++)
        if (!is_taken(slot_taken[i], segments[vreg])) break;
    if (i == slot_count && slot_count < MAX_SLOT_MAPS) {
        slot_taken[slot_count++] = scratch((u64)map_words * 8);
    } else if (i == slot_count) {
        frame_bytes = round_up(frame_bytes + 8, 8);
        slots[vreg] = (i32)-frame_bytes;
        return;
    }
    take_segments(slot_taken[i], segments[vreg]);
    slots[vreg] = (i32)(slot_base - 8 * (i64)(i + 1));
}

static void choose_register(i32 vreg)
{
    i32 hint = hints[vreg];
    u32 machine;
    if (hint < 0 && try_register(vreg, (u32)-hint)) return;
    if (hint > 0 && assigned[hint] && try_register(vreg, assigned[hint])) return;
    for (machine = 1; machine <= register_limit; machine++)
        if (try_register(vreg, machine)) return;
    if (!again[vreg]) place_in_frame(vreg);
}

static void sort_by_urgency(i32 *order, u32 count, const u64 *urgency)
{
    u32 gap, i, k;
    for (gap = count / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11)
        for (i = gap; i < count; i++) {
            i32 moved = order[i];
            for (k = i; k >= gap && (urgency[order[k - gap]] < urgency[moved] ||
                                     (urgency[order[k - gap]] == urgency[moved] && order[k - gap] > moved)); k -= gap)
                order[k] = order[k - gap];
            order[k] = moved;
        }
}

static void allocate_registers(void)
{
    u8 *depth = scratch((u64)code_count + 1);
    u64 *urgency = scratch((u64)vreg_count * 8);
    i32 *order = scratch((u64)vreg_count * sizeof(i32));
    u32 i, count = 0;
    map_words = (2 * code_count + 2) / 64 + 1;
    for (i = 1; i < MACHINE_REGISTERS; i++) taken[i] = scratch((u64)map_words * 8);
    segments = scratch((u64)vreg_count * sizeof *segments);
    assigned = scratch(vreg_count);
    slots = scratch((u64)vreg_count * sizeof *slots);
    again = scratch((u64)vreg_count * sizeof *again);
    weights = scratch((u64)vreg_count * sizeof *weights);
    lengths = scratch((u64)vreg_count * sizeof *lengths);
    hints = scratch((u64)vreg_count * sizeof *hints);
    frame_bytes = round_up(frame_bytes, 8);
    slot_base = -frame_bytes;
    slot_count = 0;
    find_depth(depth);
    find_blocks();
    find_dense();
    if ((u64)block_count * ((dense_count + 63) / 64) * 3 > MAX_LIVENESS_WORDS) {
        fatal(current_function->position, "this function has too many branches and variables; split it up");
    }
    find_liveness();
    find_segments(depth);
    for (i = 0; i < code_count; i++) {
        Code *one = &code[i];
        if (one->dst > 0 && definitions[one->dst] == 1 &&
            ((one->op == I_MOV && one->a < 0) || one->op == I_GLOBAL ||
             (one->op == I_ADD && one->a == FRAME && one->b < 0)))
            again[one->dst] = one;
    }
    for (i = 1; i < vreg_count; i++)
        if (segments[i]) {
            urgency[i] = ((u64)weights[i] << 16) / (lengths[i] + 2);
            order[count++] = (i32)i;
        }
    sort_by_urgency(order, count, urgency);
    for (i = 0; i < count; i++) choose_register(order[i]);
    frame_bytes += 8 * (i64)slot_count;
}
