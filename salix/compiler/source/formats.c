/* Calls with a format: whether the arguments go with it, and how sprintf and snprintf find them.
 *
 * What a format asks for is checked where it is a string constant. The two functions are guest code of the runtime. Only
 * the format says how many words they are to read, and C lets a call have more; so a direct call becomes one of
 *
 *     int __salix_format(char *to, unsigned long room, const char *format, unsigned long count, words...)
 *
 * whose words, padded to two at least, are all in the block that r5 points to.
 */

static Symbol *declare_extern(Name *name, Type *type, u32 position);

/* Which argument of such a function is the format, from 1 on; 0: it has none. */
static u32 format_argument(const Symbol *symbol)
{
    static const char names[4][10] = {"printf", "fprintf", "sprintf", "snprintf"};
    static const u8 places[4] = {1, 2, 2, 3};
    u32 i;
    for (i = 0; i < 4; i++)
        if (!symbol->is_defined && symbol->name->length == strlen(names[i]) &&
            starts_with(symbol->name->text, names[i]))
            return places[i];
    return 0;
}

/* The string constant that `node` points to, as a variable; 0: it is none. */
static const Symbol *format_text(const Node *node)
{
    while (node->kind == N_CAST && node->type->kind == TYPE_POINTER) node = node->a;
    if (node->kind != N_ADDRESS || node->a->kind != N_SYMBOL || !node->a->symbol->is_string) return 0;
    return size_of(node->a->symbol->type->base) == 1 ? node->a->symbol : 0;
}

static i32 is_one_of(char c, const char *characters)
{
    for (; *characters; characters++)
        if (c == *characters) return 1;
    return 0;
}

/* What stands from a `%` to the letter of its conversion. */
typedef struct {
    const char *start;
    u32 length;
    u32 stars; /* words for width and precision */
    u32 bytes; /* of an integer */
    char letter;
} Conversion;

static void read_conversion(const char *at, Conversion *out)
{
    memset(out, 0, sizeof *out);
    out->start = at++;
    out->bytes = 4;
    while (is_one_of(*at, "-+ #0")) at++;
    for (; is_digit(*at) || *at == '.' || *at == '*'; at++) out->stars += *at == '*';
    for (; is_one_of(*at, "hlqjztL"); at++)
        if (*at != 'h') out->bytes = 8;
    out->letter = *at;
    out->length = (u32)(at - out->start) + (*at != 0);
}

static void say_conversion(const Conversion *conversion)
{
    say("`");
    say_text(conversion->start, conversion->length);
    say("`");
}

/* Warns if a conversion and what it is given do not go together. */
static void check_converted(const Conversion *conversion, const Node *argument)
{
    const Type *type = argument->type;
    char letter = conversion->letter;
    i32 is_pointer = type->kind == TYPE_POINTER, fits;
    if (is_error(type)) return;
    if (letter == 's')
        fits = is_pointer && (type->base->kind == TYPE_VOID || (is_integer(type->base) && size_of(type->base) == 1));
    else if (letter == 'p') fits = is_pointer;
    else fits = is_integer(type) && size_of(type) == conversion->bytes;
    if (fits || !begin_warning(argument->position)) return;
    say_conversion(conversion);
    say(letter == '*'            ? " takes an int for its `*`"
        : letter == 's'          ? " writes a text"
        : letter == 'p'          ? " writes a pointer"
        : conversion->bytes == 8 ? " writes a number of 64 bits"
                                 : " writes an int");
    say(", but this is ");
    say_type(type);
    end_message();
    if (letter == 'c' || letter == '*') return;
    if (is_pointer) hint(letter == 's' ? "write %p" : "write %s for a text, %p for a pointer");
    else if (is_integer(type)) hint(size_of(type) == 8 ? "write %ld, %lu or %lx" : "write %d, %u or %x");
}

/* Checks the arguments from `argument` on, `count` of them, against the format. */
static void check_format(const Symbol *callee, const Node *format, const Node *argument, u32 count)
{
    const Symbol *string = format_text(format);
    const char *at, *end;
    u32 wanted = 0, i;
    if (!string) return;
    end = (const char *)string->data + string->type->count - 1;
    for (at = (const char *)string->data; at < end; at++) {
        Conversion one;
        if (*at != '%') continue;
        read_conversion(at, &one);
        at += one.length - 1;
        if (one.letter == '%') continue;
        if (is_one_of(one.letter, "eEfFgGaA") && callee->name->text[0] == 's') {
            begin_error(format->position);
            say_conversion(&one);
            say(" writes floating point, and there is none here");
            end_message();
            hint("write integers of a small unit: \"%ld.%02ld\" with cents / 100 and cents % 100");
            return;
        }
        if (!is_one_of(one.letter, "diuxXocsp")) {
            if (!begin_warning(format->position)) return;
            say_conversion(&one);
            say(" is no conversion that is there; to write a percent sign, write %%");
            end_message();
            return;
        }
        for (i = 0; i < one.stars; i++, wanted++) {
            Conversion star = one;
            star.letter = '*';
            star.bytes = 4;
            if (wanted < count) check_converted(&star, argument);
            if (wanted < count) argument = argument->next;
        }
        if (wanted++ >= count) continue;
        check_converted(&one, argument);
        argument = argument->next;
    }
    if (wanted == count || !begin_warning(format->position)) return;
    say("this format takes ");
    say_number(wanted);
    say(wanted == 1 ? " argument behind it, here it gets " : " arguments behind it, here it gets ");
    say_number(count);
    end_message();
}

/* Warns if snprintf may write more than an array has. */
static void check_buffer(const Node *to, const Node *room)
{
    const Type *array;
    while (to->kind == N_CAST && to->type->kind == TYPE_POINTER) to = to->a;
    array = to->kind == N_ADDRESS ? to->a->type : 0;
    if (!array || array->kind != TYPE_ARRAY || array->count < 2 || room->kind != N_CONST) return;
    if ((u64)room->value <= (u64)size_of(array) || !begin_warning(room->position)) return;
    say("this is more than the buffer has: ");
    say_number(size_of(array));
    say(" bytes");
    end_message();
    hint("write sizeof and the buffer's name");
}

/* Makes a call of sprintf or snprintf, which has `place` arguments up to the format, one that says how many words follow. */
static void count_words(Node *node, u32 place)
{
    Name *name = intern_text("__salix_format");
    Node *to = node->b, *format = place == 3 ? to->next->next : to->next, *last;
    Node *room = place == 3 ? to->next : constant(-1, &type_ulong, node->position);
    Node *count = constant(node->value - place, &type_ulong, node->position);
    to->next = room;
    room->next = format;
    count->next = format->next;
    format->next = count;
    for (last = count; last->next;) last = last->next;
    for (node->value += 4 - place; node->value < 6; node->value++)
        last = last->next = constant(0, &type_int, node->position);
    node->symbol = name->global ? name->global : declare_extern(name, library_function(name), node->position);
    node->computed = node->symbol->type;
}

/* A call of a function that is declared with `...`, which is the host's or the library's. */
static void check_variadic_call(Node *node)
{
    u32 place = format_argument(node->symbol), words = (u32)node->value, i;
    const Node *format = node->b;
    if (place && words >= place) {
        for (i = 1; i < place; i++) format = format->next;
        check_format(node->symbol, format, format->next, words - place);
        if (place == 3) check_buffer(node->b, node->b->next);
        if (node->symbol->name->text[0] == 's') count_words(node, place);
    } else if (words > 5 && begin_warning(node->position)) {
        say_name(node->symbol->name);
        say(" takes ");
        say_number(words);
        say(" arguments here: a function of the host gets four of them, and the address of the others");
        end_message();
    }
}
