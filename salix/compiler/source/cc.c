/* The compiler: the files of a build in, an object and messages out. This is the file that is compiled.
 *
 * It runs as a guest. r1 is the address of the build (`Build` below, then the table of files, then their bytes), r2 its
 * length. Results are left in `Build`; if the compiler gives up, it stops with a load from address 0, after it has left
 * its messages. One build per guest: nothing is ever reset.
 */
#include "base.c"
#include "source.c"
#include "lex.c"
#include "macros.c"
#include "define.c"
#include "questions.c"
#include "conditions.c"
#include "pragmas.c"
#include "directives.c"
#include "types.c"
#include "nodes.c"
#include "literals.c"
static u32 pointer_number(Symbol *symbol);
static void skip_item(void);
#include "expressions.c"
#include "nested.c"
#include "library.c"
#include "formats.c"
#include "names.c"
#include "postfix.c"
#include "operands.c"
#include "attributes.c"
#include "records.c"
#include "specifiers.c"
#include "declarators.c"
#include "checks.c"
#include "vectors.c"
static void note_alias(Symbol *symbol, Name *name);
#include "initialisers.c"
#include "objects.c"
#include "labels.c"
#include "cleanups.c"
#include "declarations.c"
#include "statements.c"
#include "code.c"
#include "facts.c"
#include "simplify.c"
#include "optimise.c"
#include "lowering.c"
#include "lower.c"
#include "lower_statements.c"
#include "unwind.c"
#include "registers.c"
#include "words.c"
#include "emit.c"
static void make_line_section(void);
static void finish_line_section(void);
#include "elf.c"
#include "aliases.c"
#include "warnings.c"
#include "debug_line.c"
#include "behind.c"

enum { RUNNING, SUCCEEDED, FAILED };
enum { WITHOUT_LINES = 1 };

typedef struct {
    u32 path_offset, path_length, text_offset, text_length;
    u32 supplied;
} GivenFile;

typedef struct {
    u32 file_count, entry, flags, output_limit, register_limit, unused;
    u64 state, object, object_bytes, messages, messages_length, messages_lost, errors, warnings, most_bytes;
} Build;

static Build *build;

static void leave_results(u64 state)
{
    if (!build) return;
    build->object = (u64)object;
    build->object_bytes = object_bytes;
    build->messages = (u64)messages;
    build->messages_length = messages_length;
    build->messages_lost = messages_lost;
    build->errors = error_count;
    build->warnings = warning_count;
    build->most_bytes = most_bytes;
    build->state = state;
}

#ifdef ON_HOST
void stop_on_host(void);
#endif
static u64 *volatile nowhere;

static void give_up(void)
{
    leave_results(FAILED);
#ifdef ON_HOST
    stop_on_host();
#endif
    *nowhere = 0;
}

static void read_files(u8 *memory)
{
    GivenFile *given = (GivenFile *)(memory + sizeof(Build));
    u32 i;
    for (i = 0; i < build->file_count && i < MAX_FILES; i++) {
        File *file = &files[file_count++];
        file->path = (const char *)memory + given[i].path_offset;
        file->path_length = given[i].path_length;
        file->given = (const char *)memory + given[i].text_offset;
        file->given_length = given[i].text_length;
        file->supplied = given[i].supplied != 0;
    }
}

enum { BUILTINS = 1, ATOMICS = 2 };

/* Which sorts of functions that GNU compilers know by themselves a submitted file may use. */
static u32 named_builtins(void)
{
    u32 i, k, found = 0;
    for (i = 0; i < file_count; i++)
        for (k = 0; !files[i].supplied && k + 10 < files[i].given_length; k++)
            if (files[i].given[k] == '_' && files[i].given[k + 1] == '_') {
                const char *rest = files[i].given + k + 2;
                if (starts_with(rest, "builtin_")) found |= BUILTINS;
                if (starts_with(rest, "atomic_") || starts_with(rest, "sync_")) found |= ATOMICS;
            }
    return found;
}

__attribute__((section("spinfoam.main"))) u64 compile(u8 *memory, u64 length)
{
    Function *function;
    u32 builtins;
    (void)length;
    build = (Build *)memory;
    output_limit = build->output_limit;
    want_lines = !(build->flags & WITHOUT_LINES);
    if (build->register_limit) register_limit = build->register_limit;
    read_files(memory);
    define_keywords();
    name_strlen = intern_text("strlen");
    name_handle = intern_text("sf_handle");
    name_drop = intern_text("sf_drop");
    define_predefined();
    builtins = named_builtins();
    if (builtins & BUILTINS) preprocess_supplied("salix_builtins.h");
    if (builtins & ATOMICS) preprocess_supplied("salix_atomics.h");
    preprocess(&files[build->entry]);
    parse_program();
    resolve_aliases();
    supply_missing();
    warn_of_host_functions();
    spare = (u8 *)(tokens + 1); /* the first one says where the program starts */
    spare_bytes = sizeof tokens - sizeof tokens[0];
    if (!error_count && !first_function) error(0, "the program has no function");
    if (!error_count) {
        find_reachable();
        if (!some_function_is_reachable()) {
            error(0, "nobody can call any function of the program: all of them are static");
            hint("mark the function that the runtime calls with SF_MAIN of \"spinfoam.h\"");
        }
        warn_of_depth();
        find_unwinding();
        for (function = first_function; function; function = function->next)
            if (function->reachable && !error_count) emit_function(function);
        if (!error_count) {
            place_functions();
            write_object();
        }
    }
    leave_results(error_count ? FAILED : SUCCEEDED);
    return error_count;
}
