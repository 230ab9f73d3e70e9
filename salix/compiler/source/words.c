/* The words of eBPF instructions (RFC 9669), fields that are filled in later, and how a value gets into a register. */

enum { CLASS_LD, CLASS_LDX, CLASS_ST, CLASS_STX, CLASS_ALU, CLASS_JMP, CLASS_JMP32, CLASS_ALU64, FROM_REGISTER = 8 };
enum {
    ALU_ADD = 0x00, ALU_SUB = 0x10, ALU_MUL = 0x20, ALU_DIV = 0x30, ALU_OR = 0x40, ALU_AND = 0x50, ALU_LSH = 0x60,
    ALU_RSH = 0x70, ALU_NEG = 0x80, ALU_MOD = 0x90, ALU_XOR = 0xa0, ALU_MOV = 0xb0, ALU_ARSH = 0xc0, ALU_END = 0xd0
};
#define MODE_MEM 0x60
#define MODE_MEMSX 0x80
#define LDDW 0x18
#define CALL 0x85
#define EXIT 0x95
#define JA 0x05
#define JA32 0x06

enum { FIX_BRANCH, FIX_CALL, FIX_ADDRESS };

/* A field that is filled in later. */
typedef struct Fixup {
    struct Fixup *next;
    u32 at; /* word of the function */
    u8 kind;
    i32 label;
    Symbol *symbol;
    i64 addend;
} Fixup;

#define MAX_WORDS 48000
static u64 words[MAX_WORDS];
static u32 word_positions[MAX_WORDS];
static u32 word_count;
static u32 *label_words;
static Fixup *fixups, *branch_fixups;
static u32 emitted_position;
static i64 emergency; /* a place in the frame to save a register in; 0: none yet */
static u8 long_jumps;

static void word(u32 opcode, u32 dst, u32 src, i64 offset, i64 imm)
{
    if (word_count >= MAX_WORDS) fatal(current_function->position, "this function is too long; split it up");
    word_positions[word_count] = emitted_position;
    words[word_count++] = opcode | dst << 8 | src << 12 | (u64)((u32)offset & 0xffff) << 16 | (u64)(u32)imm << 32;
}

static Fixup *fix(u32 kind)
{
    Fixup *one = kind == FIX_BRANCH ? scratch(sizeof *one) : keep(sizeof *one);
    Fixup **list = kind == FIX_BRANCH ? &branch_fixups : &fixups;
    one->kind = (u8)kind;
    one->at = word_count;
    one->next = *list;
    *list = one;
    return one;
}

static u32 size_bits(u32 size)
{
    return size == 8 ? 0x18 : size == 4 ? 0x00 : size == 2 ? 0x08 : 0x10;
}

static void move_register(u32 to, u32 from)
{
    if (to != from) word(CLASS_ALU64 | FROM_REGISTER | ALU_MOV, to, from, 0, 0);
}

static void move_constant(u32 to, i64 value)
{
    if (fits32(value)) {
        word(CLASS_ALU64 | ALU_MOV, to, 0, 0, value);
    } else if (value == (i64)(u32)value) {
        word(CLASS_ALU | ALU_MOV, to, 0, 0, value);
    } else {
        word(LDDW, to, 0, 0, value);
        word(0, 0, 0, 0, (i64)((u64)value >> 32));
    }
}

static void move_global(u32 to, Symbol *symbol, i64 offset)
{
    Fixup *one;
    i64 inside = offset;
    if (offset < 0 || offset > size_of(symbol->type)) inside = 0;
    one = fix(FIX_ADDRESS);
    one->symbol = symbol;
    one->addend = inside;
    word(LDDW, to, 0, 0, 0);
    word(0, 0, 0, 0, 0);
    if (offset != inside) word(CLASS_ALU64 | ALU_ADD, to, 0, 0, offset - inside);
}

/* Computes anew what is set once and costs no more than a load. */
static void compute_again(u32 to, const Code *one)
{
    if (one->op == I_MOV) {
        move_constant(to, one->imm);
    } else if (one->op == I_GLOBAL) {
        move_global(to, globals[one->other], one->imm);
    } else {
        move_register(to, 10);
        word(CLASS_ALU64 | ALU_ADD, to, 0, 0, one->imm);
    }
}

static i32 in_register(i32 vreg)
{
    return vreg == FRAME || assigned[vreg];
}

static u32 machine_of(i32 vreg)
{
    return vreg == FRAME ? 10 : assigned[vreg];
}

/* The register that holds `vreg`: its own, or `spare`, which it is loaded into. */
static u32 fetch(i32 vreg, u32 spare)
{
    if (in_register(vreg)) return machine_of(vreg);
    if (again[vreg]) compute_again(spare, again[vreg]);
    else word(CLASS_LDX | MODE_MEM | 0x18, spare, 10, slots[vreg], 0);
    return spare;
}

static void fetch_into(i32 vreg, u32 to)
{
    move_register(to, fetch(vreg, to));
}

static void keep_result(i32 vreg, u32 from)
{
    if (assigned[vreg]) move_register(assigned[vreg], from);
    else if (!again[vreg]) word(CLASS_STX | MODE_MEM | 0x18, 10, from, slots[vreg], 0);
}

/* A register that is free at instruction i, for a second operand from the frame; one is freed if need be. */
static u32 borrowed;

static u32 second_spare(u32 i, u32 not_this, u32 nor_this)
{
    Segment both;
    u32 machine;
    both.next = 0;
    both.start = 2 * i;
    both.end = 2 * i + 1;
    borrowed = 0;
    for (machine = 1; machine < MACHINE_REGISTERS; machine++)
        if (machine != not_this && machine != nor_this && !is_taken(taken[machine], &both)) return machine;
    machine = 9;
    while (machine == not_this || machine == nor_this) machine--;
    if (!emergency) {
        frame_bytes = round_up(frame_bytes + 8, 8);
        emergency = -frame_bytes;
    }
    word(CLASS_STX | MODE_MEM | 0x18, 10, machine, emergency, 0);
    borrowed = machine;
    return machine;
}

static void give_back(void)
{
    if (borrowed) word(CLASS_LDX | MODE_MEM | 0x18, borrowed, 10, emergency, 0);
    borrowed = 0;
}
