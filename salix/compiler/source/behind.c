/* Functions of the library that are compiled with the programs that use them: what keeps something, or calls back.
 *
 * They are read behind a program that misses one of them. It is parsed by then, and its names and macros are forgotten,
 * so that none gets in the way of what is read; only what it misses is left, and is defined there, whatever the program
 * took it for. As they are static, what is not called is left out of the object.
 */

#define HEAP_BYTES (264 << 10) /* 256 KiB in large blocks, and their heads */
#define MIN_HEAP_BYTES 64
#define MAX_HEAP_BYTES (32 << 20)
#define MAX_MISSING 32

/* What the program says of the heap's size, with a macro or a constant. */
static i64 heap_bytes(const Name *name)
{
    static const char text[] = "SALIX_HEAP_BYTES";
    i64 bytes;
    if (!name->macro && !name->symbol) return HEAP_BYTES;
    token_count--;
    memset(&reader, 0, sizeof reader);
    reader.at = reader.start = text;
    reader.position = name->macro ? name->macro->position : name->symbol->position;
    gather_tokens();
    bytes = constant_expression(text);
    if (kind_now() != T_END || bytes < MIN_HEAP_BYTES || bytes > MAX_HEAP_BYTES)
        error(reader.position, "SALIX_HEAP_BYTES is the size of the heap in bytes, from 64 to 32 MiB");
    at_token = token_count - 1;
    return bytes;
}

static void forget_names(void)
{
    Name *name;
    u32 i;
    for (i = 0; i < NAME_BUCKETS; i++)
        for (name = names[i]; name; name = name->next) {
            name->symbol = name->global = 0;
            name->macro = 0;
            name->tag = 0;
        }
    pack_count = 0;
}

static void supply_missing(void)
{
    Symbol *missing[MAX_MISSING], *symbol;
    Name *size = intern_text("SALIX_HEAP_BYTES");
    i64 bytes = 0;
    u32 i, count = 0, homes = 0;
    for (symbol = first_symbol; symbol; symbol = symbol->next) {
        u32 known = symbol->kind == A_FUNCTION && symbol->is_extern ? supplied_function(symbol->name) : 0;
        if (!known || supplied_functions[known - 1].home == IN_RUNTIME) continue;
        missing[count++] = symbol; /* each name once */
        homes |= supplied_functions[known - 1].home;
    }
    if (!count || error_count) return;
    at_token = 1; /* the tokens of the program are needed no more, but for the first */
    token_count = 2;
    if (homes & IN_HEAP) bytes = heap_bytes(size);
    forget_names();
    for (i = 0; i < count; i++) {
        missing[i]->name->symbol = missing[i]->name->global = missing[i];
        missing[i]->is_static = 1;
        missing[i]->is_implicit = 1; /* its type may be another one */
    }
    lines_end = next_position;
    if (homes & IN_LIBRARY) preprocess_supplied("salix_library.h");
    if (homes & IN_HEAP) {
        new_symbol(size, A_CONSTANT, &type_long, 0)->value = bytes;
        preprocess_supplied("salix_heap.h");
    }
    parse_program();
}
