/* Variables for which something is called when their block is left (GNU C: __attribute__((cleanup(function)))).
 *
 * The calls of the blocks that are open are a list, the innermost first; `c` leads to the one around it. Whoever leaves
 * blocks does the calls that are in the list there, and not where it leads. Only of a goto that is not known before the
 * function has been read.
 */

static void add_cleanup(Symbol *variable, Symbol *function, u32 position)
{
    Node *callee = is_nested(function) ? nested_node(function, position) : symbol_node(function, position), *call, *one;
    Parameter *parameter = function->type->parameters;
    call = new_node(N_CALL, unqualified(function->type->base), position);
    call->symbol = function;
    call->c = callee->c;
    call->computed = function->type;
    call->value = 1;
    call->b = address_of(symbol_node(variable, position));
    if (parameter) call->b = assignable(unqualified(parameter->type), call->b, position, "the parameter");
    one = pair(S_EXPRESSION, &type_void, call, 0);
    one->c = cleanups;
    cleanups = one;
}

/* The calls of `from` that are not in `until`; statements. */
static Node *calls_until(const Node *from, const Node *until)
{
    Node *first = 0, **link = &first;
    for (; from && from != until; from = from->c) {
        *link = pair(S_EXPRESSION, &type_void, from->a, 0);
        link = &(*link)->next;
    }
    return first;
}

/* `statement`, which leads out of blocks, and before it what is called then. */
static Node *leaving(Node *statement, const Node *until)
{
    Node *block, **link;
    if (cleanups == until) return statement;
    block = new_node(S_BLOCK, &type_void, statement->position);
    if (statement->kind == S_RETURN && statement->a) { /* its value is computed before */
        Node *value = statement->a;
        statement->a = 0;
        if (value->type->kind != TYPE_VOID) {
            Symbol *symbol = new_symbol(0, A_VARIABLE, unqualified(value->type), value->position);
            symbol->is_local = symbol->is_defined = 1;
            value = pair(N_ASSIGN, symbol->type, symbol_node(symbol, value->position), value);
            statement->a = symbol_node(symbol, statement->position);
        }
        block->a = pair(S_EXPRESSION, &type_void, value, 0);
    }
    for (link = &block->a; *link; link = &(*link)->next) {}
    *link = calls_until(cleanups, until);
    while (*link) link = &(*link)->next;
    *link = statement;
    return block;
}

/* What a goto calls: all of `from` that is not in the list where the label stands. */
static Node *calls_of_goto(const Node *from, const Node *there)
{
    const Node *common, *each;
    for (common = from; common; common = common->c) {
        for (each = there; each && each != common; each = each->c) {}
        if (each) break;
    }
    return calls_until(from, common);
}
