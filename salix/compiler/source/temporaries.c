/* Places in the frame for what an expression makes on its way: structs that are returned, results of operators on
 * vectors, arguments that do not fit registers. They are free again when the statement is over, unless it is itself part
 * of an expression.
 */

#define MAX_TEMPORARIES 64 /* places of a function that are used again */

typedef struct {
    i64 offset, size;
    Symbol *symbol; /* whose place it is; a loop's condition is lowered twice: then it gets another */
    u8 in_use;
} Temporary;

static Temporary temporaries[MAX_TEMPORARIES];
static u32 temporary_count;
static u8 some_in_use;
static u32 inside_expression; /* statements in expressions around this one */

static i64 temporary_room(i64 size, i64 alignment, Symbol *symbol)
{
    Temporary *one, *end = temporaries + temporary_count;
    if (size < 8) size = 8;
    for (one = temporaries; one < end; one++)
        if (!one->in_use && one->size >= size && one->size <= 2 * size && (one->offset & (alignment - 1)) == 0) break;
    if (one == end) {
        i64 offset = frame_room(size, alignment);
        if (temporary_count >= MAX_TEMPORARIES) return offset;
        temporary_count++;
        one->offset = offset;
        one->size = size;
    }
    one->symbol = symbol;
    one->in_use = some_in_use = 1;
    return one->offset;
}

static void release_temporaries(void)
{
    u32 i;
    for (i = 0; i < temporary_count; i++) {
        if (temporaries[i].in_use && temporaries[i].symbol) temporaries[i].symbol->value = 0;
        temporaries[i].in_use = 0;
    }
    some_in_use = 0;
}

static void lower_inside(Node *statements)
{
    inside_expression++;
    lower_statements(statements);
    inside_expression--;
}
