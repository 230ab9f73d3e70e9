/* Functions inside of functions (GNU C): whose locals they see, and labels.
 *
 * A nested function is compiled as one of its own. It reaches the locals of those around it through the end of the
 * frame of the one that it stands in, its chain. Whoever calls it leaves the chain in a hidden word of .bss, from where
 * it takes it before anything else. A pointer to it is chain << 16 | number; addresses have 30 bits. One that uses
 * nothing of what is around it has no chain.
 *
 *     frame of the outer function          frame of the nested one, which has another inside
 *     +--------------------+               +--------------------+
 *     |  locals that are   |<--- chain ----|  chain, locals     |<--- chain of the one inside
 *     +--------------------+               +--------------------+
 *
 * A local that is so used gets its place in the frame at once, so that its distance from the end is known.
 */

typedef struct Nest {
    struct Nest *outer;
    Symbol *symbol;
    Symbol *chain; /* of a nested function: a local of its own */
    u32 depth;     /* of the scope that the function stands in; its own are deeper */
    i64 frame_bytes; /* that captured locals take */
    u8 uses_chain;
    u8 is_not_reentrant; /* a local is kept outside of the frame */
    u8 is_landed_in;     /* nested functions go to labels of it */
    /* of the outer function, while this one is read */
    Type *result;
    LabelUse *labels;
    Node *current_switch;
    Node *cleanups, *loop_cleanups, *break_cleanups;
    u32 loop_depth, break_depth;
} Nest;

static Nest *within; /* of the function that is read or lowered now */

static Node *current_switch;
static u32 loop_depth, break_depth;
static LabelUse *labels;
static Node *cleanups, *loop_cleanups,
    *break_cleanups; /* of the blocks that are open; around the loop; around `break` */

enum { WORD_CHAIN, WORD_FRAME, WORD_LABEL, HIDDEN_WORDS }; /* the others: where a goto out of a function leads */

static Symbol *hidden_words[HIDDEN_WORDS];

static i64 frame_bytes;
static void place_local(Symbol *symbol);

static Symbol *hidden_word(u32 which)
{
    Symbol *symbol = hidden_words[which];
    if (!symbol) {
        symbol = hidden_words[which] = new_symbol(0, A_VARIABLE, &type_ulong, 0);
        symbol->is_static = symbol->is_defined = symbol->is_used = 1;
        symbol->section = SECTION_BSS;
        put_in_object(symbol);
    }
    return symbol;
}

static i32 is_nested(const Symbol *symbol)
{
    return symbol->kind == A_FUNCTION && symbol->depth;
}

/* The function that something of this depth belongs to. */
static Nest *nest_of(const Symbol *symbol)
{
    Nest *owner = within;
    while (owner->depth >= symbol->depth && owner->outer) owner = owner->outer;
    return owner;
}

/* Gives a local of a function that is still being read its place. */
static void place_captured(Nest *owner, Symbol *symbol)
{
    Nest *reader = within;
    i64 outer_bytes = frame_bytes;
    symbol->address_taken = symbol->is_used = 1;
    within = owner;
    frame_bytes = owner->frame_bytes;
    place_local(symbol);
    owner->frame_bytes = frame_bytes;
    frame_bytes = outer_bytes;
    within = reader;
}

static Node *at_offset(Node *base, i64 offset, Type *type, u32 position)
{
    Type *pointer = pointer_to(type);
    Node *sum = pair(N_BINARY, pointer, base, constant(offset, &type_long, position)), *node;
    sum->op = OP_ADD;
    node = pair(N_DEREF, type, sum, 0);
    node->position = sum->position = position;
    return node;
}

/* The end of the frame of `owner`, this function or one around it. */
static Node *frame_of(const Nest *owner, u32 position)
{
    Nest *level = within;
    Type *type = pointer_to(&type_char);
    Node *node;
    if (owner == level) {
        node = new_node(N_BUILTIN, type, position);
        node->op = BUILTIN_FRAME;
        return node;
    }
    node = symbol_node(level->chain, position);
    level->uses_chain = 1;
    for (level = level->outer; level != owner; level = level->outer) {
        level->uses_chain = 1;
        place_captured(level, level->chain);
        node = at_offset(node, level->chain->value, type, position);
    }
    return node;
}

/* What the name of a local of a function around this one stands for. */
static Node *captured_node(Symbol *symbol, u32 position)
{
    Nest *owner = nest_of(symbol);
    place_captured(owner, symbol);
    if (!symbol->is_local) return symbol_node(symbol, position); /* it is too big for a frame */
    return at_offset(frame_of(owner, position), symbol->value, symbol->type, position);
}

/* The name of a nested function; its c is the chain that goes with it. */
static Node *nested_node(Symbol *symbol, u32 position)
{
    Node *node = symbol_node(symbol, position);
    node->c = frame_of(nest_of(symbol), position);
    return node;
}

/* Starts the body of `symbol`; what is known of the function around it comes back with `leave_function`. */
static void enter_function(Nest *own, Symbol *symbol, Type *result)
{
    LabelUse *label;
    memset(own, 0, sizeof *own);
    own->outer = within;
    own->symbol = symbol;
    own->depth = scope_depth;
    own->result = current_result;
    own->labels = labels;
    own->current_switch = current_switch;
    own->cleanups = cleanups;
    own->loop_cleanups = loop_cleanups;
    own->break_cleanups = break_cleanups;
    own->loop_depth = loop_depth;
    own->break_depth = break_depth;
    for (label = labels; label; label = label->next) /* only those of __label__ are seen inside */
        if (!label->is_declared && label->name->label == label) {
            label->is_hidden = 1;
            label->name->label = 0;
        }
    if (within) {
        own->chain = new_symbol(0, A_VARIABLE, pointer_to(&type_char), 0);
        own->chain->is_local = own->chain->is_defined = 1;
    }
    within = own;
    current_function = symbol;
    current_result = result;
    current_switch = cleanups = 0;
    loop_depth = break_depth = 0;
    labels = 0;
}

static void leave_function(Nest *own)
{
    LabelUse *label;
    for (label = labels; label; label = label->next) label->name->label = label->shadowed;
    within = own->outer;
    current_function = within ? within->symbol : 0;
    current_result = own->result;
    current_switch = own->current_switch;
    cleanups = own->cleanups;
    loop_cleanups = own->loop_cleanups;
    break_cleanups = own->break_cleanups;
    loop_depth = own->loop_depth;
    break_depth = own->break_depth;
    labels = own->labels;
    for (label = labels; label; label = label->next)
        if (label->is_hidden) {
            label->is_hidden = 0;
            label->name->label = label;
        }
    if (within && !own->uses_chain && !own->symbol->is_chained) own->symbol->needs_chain = 0;
}
