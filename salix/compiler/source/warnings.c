/* Warnings about the program as a whole: how deep its calls go, and what may be entered twice. */

#define LOOP_FRAMES 8
#define MAX_CHAIN 100

enum { NOT_VISITED, VISITING, VISITED };

/* The deepest chain of calls from `function`, in frames; 0 if it has no bound, or calls through pointers. */
static u32 chain_depth(Function *function, u32 level)
{
    u32 i, deepest = 1, bounded = 1;
    if (function->visited == VISITED) return function->depth;
    if (function->visited == VISITING || level > MAX_CHAIN) {
        function->depth = 0;
        return 0;
    }
    function->visited = VISITING;
    for (i = 0; i < function->count; i++) {
        Symbol *callee;
        u32 below = 1;
        if (function->code[i].op != I_CALL) continue;
        callee = calls[function->code[i].other]->callee;
        if (callee && !callee->function) continue;
        if (callee) below = chain_depth(callee->function, level + 1);
        if (!callee || below == 0) {
            bounded = 0;
        } else if (below + 1 > deepest) {
            deepest = below + 1;
            function->deepest = callee->function;
        }
    }
    function->visited = VISITED;
    function->depth = bounded ? deepest : 0;
    return function->depth;
}

static void warn_of_depth(void)
{
    Function *function, *each;
    for (function = first_function; function; function = function->next) {
        if (!function->reachable) continue;
        if (chain_depth(function, 0) == 0 && function->is_not_reentrant)
            warning_about(function->symbol->position, "the function ", function->symbol->name,
                          " may be called while it runs, but not all of its locals are in its frame");
        if (!function->symbol->section_name || function->depth <= LOOP_FRAMES ||
            !begin_warning(function->symbol->position))
            continue;
        say("calls go ");
        say_number(function->depth);
        say(" functions deep, a Loop has ");
        say_number(LOOP_FRAMES);
        say(" frames: ");
        for (each = function; each; each = each->deepest) {
            say_name(each->symbol->name);
            if (each->deepest) say(" > ");
        }
        end_message();
        hint("call one function after the other instead of each from inside of the one before");
    }
}
