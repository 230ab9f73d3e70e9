/* The intermediate code: a list of instructions over virtual registers.
 *
 * Registers are 64 bits wide. A narrow operation uses and makes the low 32 bits and leaves the high ones zero; whoever
 * needs 64 bits of a narrower value extends it. Values of types below int are kept extended to 32 bits.
 * Register FRAME is the end of the frame (r10): only loads, stores and I_ADD with a constant use it.
 */

enum {
    I_NONE,
    I_LABEL, /* imm: its number */
    I_MOV,   /* dst = a, or imm if there is no a; narrow: zero-extended */
    I_SEXT,  /* dst = the low `size` bytes of a, sign-extended */
    I_ADD, I_SUB, I_MUL, I_DIV, I_MOD, I_AND, I_OR, I_XOR, I_SHL, I_SHR, /* dst = a op b, or op imm if there is no b */
    I_SDIV, I_SMOD, I_SAR,
    I_NEG,
    I_SWAP,   /* dst = the low `size` bytes of a in the other order, zero-extended */
    I_SET,    /* dst = a `condition` b (or imm) */
    I_LOAD,   /* dst = `size` bytes at a + imm; is_signed */
    I_STORE,  /* `size` bytes at a + imm = b, or `other` if there is no b */
    I_GLOBAL, /* dst = the address of symbol `other` + imm */
    I_PARAMETER, /* dst = argument register imm */
    I_CALL,   /* dst (or none) = calls[other] */
    I_RETURN, /* a, or nothing */
    I_JUMP,   /* to imm */
    I_BRANCH, /* to label `other` if a `condition` b (or imm) */
    I_TRAP
};

enum { IF_EQ, IF_NE, IF_LT, IF_LE, IF_GT, IF_GE, IF_SLT, IF_SLE, IF_SGT, IF_SGE, IF_SET };

#define NO_REGISTER (-1)
#define FRAME 0

typedef struct {
    u8 op;
    u8 narrow;
    u8 size;
    u8 condition; /* loads: whether it is signed */
    i32 dst, a, b;
    i64 imm;
    i32 other;
    u32 position;
} Code;

typedef struct {
    i32 vreg; /* NO_REGISTER: the constant */
    i64 imm;
} Operand;

typedef struct {
    Symbol *callee; /* 0: through a pointer, whose register is the instruction's a */
    Type *type;
    u32 count;
    Operand arguments[5]; /* only `count` are kept */
} Call;

typedef struct Function {
    struct Function *next;
    Symbol *symbol;
    Code *code;
    u32 count;
    u32 vregs;
    u32 labels;
    i64 frame_bytes;
    u8 is_not_reentrant; /* a local of it is kept outside of the frame */
    u8 is_landed_in;     /* functions inside go to its labels */
    u8 may_unwind;       /* it may return because a label of another function is to be gone to */
    u8 reachable;
    struct Function *next_pending;
    u8 visited;     /* while the deepest chain of calls is looked for */
    u32 depth;      /* frames, its own included; 0: not known */
    struct Function *deepest; /* that it calls */
    /* when it has been emitted */
    u64 *words;
    u32 *positions;
    u32 word_count;
    u32 offset; /* in its section, in words */
    u32 section;
    struct Fixup *fixups;
} Function;

#define MAX_CODE 20000
#define MAX_CALLS 24000
#define MAX_GLOBALS 8192
static Code code[MAX_CODE];
static u32 code_count;
static Call *calls[MAX_CALLS];
static u32 call_count;
static Symbol *globals[MAX_GLOBALS]; /* that I_GLOBAL names by number */
static u32 global_count;
static u32 vreg_count;
static u32 label_count;
static i64 frame_bytes;
static Function *first_function, *last_function;

static Code *put(u32 op, i32 dst, i32 a, i32 b, i64 imm)
{
    Code *one;
    if (code_count >= MAX_CODE)
        fatal(current_function ? current_function->position : 0, "this function is too long; split it up");
    one = &code[code_count++];
    memset(one, 0, sizeof *one);
    one->op = (u8)op;
    one->dst = dst;
    one->a = a;
    one->b = b;
    one->imm = imm;
    return one;
}

static i32 is_binary_code(u32 op)
{
    return op >= I_ADD && op <= I_SAR;
}

/* Whether it does nothing but set dst. */
static i32 is_pure_code(u32 op)
{
    return (op >= I_MOV && op <= I_LOAD) || op == I_GLOBAL || op == I_PARAMETER;
}

static u32 inverse(u32 condition)
{
    static const u8 inverses[] = {IF_NE, IF_EQ, IF_GE, IF_GT, IF_LE, IF_LT, IF_SGE, IF_SGT, IF_SLE, IF_SLT};
    return inverses[condition];
}

static u32 mirrored(u32 condition)
{
    static const u8 mirrors[] = {IF_EQ, IF_NE, IF_GT, IF_GE, IF_LT, IF_LE, IF_SGT, IF_SGE, IF_SLT, IF_SLE, IF_SET};
    return mirrors[condition];
}
