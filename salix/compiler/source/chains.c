/* The chains of nested functions in the intermediate code. `nested.c` says what they are. */

static u8 chained_pointers; /* some pointers to functions hold a chain */
static i32 landing;         /* where the function goes when a call of it returned to reach a label; 0: nowhere */

#define CHAIN_SHIFT 16 /* in a pointer, the chain is above the number */

static i32 hidden_address(u32 which)
{
    i32 dst = new_vreg();
    emit(I_GLOBAL, dst, NO_REGISTER, NO_REGISTER, 0)->other = global_number(hidden_word(which));
    return dst;
}

static void store_hidden(u32 which, i32 value)
{
    i32 address = hidden_address(which);
    store(address, 0, 8, value);
}

static i32 load_hidden(u32 which)
{
    i32 address = hidden_address(which);
    return load(address, 0, &type_ulong);
}

/* At the start of a nested function. */
static void lower_chain(void)
{
    Symbol *chain = within->chain;
    i32 value;
    if (!within->uses_chain || !chain) return;
    value = load_hidden(WORD_CHAIN);
    if (lives_in_register(chain)) {
        chain->vreg = value;
    } else {
        place_local(chain);
        store(FRAME, chain->value, 8, value);
    }
}

static i32 pointer_with_chain(Node *function)
{
    i32 chain = lower(function->c), shifted = new_vreg(), dst = new_vreg();
    function->symbol->is_chained = chained_pointers = 1;
    emit(I_SHL, shifted, chain, NO_REGISTER, CHAIN_SHIFT);
    emit(I_OR, dst, shifted, NO_REGISTER, pointer_number(function->symbol));
    return dst;
}

/* Behind each call of a function that others go to labels of. */
static void check_landing(void)
{
    Code *one;
    i32 frame;
    frame = load_hidden(WORD_FRAME);
    one = emit(I_BRANCH, NO_REGISTER, frame, NO_REGISTER, 0);
    one->condition = IF_NE;
    one->other = landing;
}

/* A call through a pointer: its chain goes where the callee looks for it, its number is what is called. */
static i32 unchained(i32 pointer)
{
    i32 chain = new_vreg(), called = new_vreg();
    emit(I_SHR, chain, pointer, NO_REGISTER, CHAIN_SHIFT);
    store_hidden(WORD_CHAIN, chain);
    emit(I_AND, called, pointer, NO_REGISTER, (1 << CHAIN_SHIFT) - 1);
    return called;
}
