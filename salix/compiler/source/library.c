/* Functions of C's library: those that come with every program, those that only a host could have, and those that
 * cannot be here. The first are guest code of the runtime, which links them to the programs that call them, or C that
 * is compiled with such programs (`behind.c`).
 */

/* A letter of a signature: v void, i int, l long, n size_t, p void *, q const void *, s char *, t const char *,
 * e char **, f a pointer to a function; a point stands for any number of parameters. */
static Type *letter_type(char letter)
{
    switch (letter) {
    case 'i': return &type_int;
    case 'l': return &type_long;
    case 'n': return &type_ulong;
    case 'p': return pointer_to(&type_void);
    case 'q': return pointer_to(qualified(&type_void, CONST));
    case 's': return pointer_to(&type_char);
    case 't': return pointer_to(qualified(&type_char, CONST));
    case 'e': return pointer_to(pointer_to(&type_char));
    case 'f': {
        Type *type = new_type(TYPE_FUNCTION);
        type->base = &type_int;
        return pointer_to(type);
    }
    default: return &type_void;
    }
}

static Type *function_type(Type *result, const char *parameters)
{
    Type *type = new_type(TYPE_FUNCTION);
    Parameter **link = &type->parameters;
    type->base = result;
    type->is_prototype = 1;
    for (; *parameters; parameters++) {
        if (*parameters == '.') {
            type->is_variadic = 1;
            break;
        }
        *link = keep(sizeof(Parameter));
        (*link)->type = letter_type(*parameters);
        link = &(*link)->next;
    }
    return type;
}

enum { IN_RUNTIME, IN_LIBRARY = 1, IN_HEAP = 2 }; /* linked by the runtime; in salix_library.h; in salix_heap.h */

static const struct {
    char name[16];
    char result;
    char parameters[7];
    u8 home;
} supplied_functions[] = {
    {"memcpy", 'p', "pqn"}, {"memmove", 'p', "pqn"}, {"memset", 'p', "pin"}, {"memcmp", 'i', "qqn"},
    {"strlen", 'n', "t"}, {"strnlen", 'n', "tn"}, {"strcmp", 'i', "tt"}, {"strncmp", 'i', "ttn"},
    {"strcasecmp", 'i', "tt"}, {"strncasecmp", 'i', "ttn"}, {"strcpy", 's', "st"}, {"strncpy", 's', "stn"},
    {"stpcpy", 's', "st"}, {"stpncpy", 's', "stn"}, {"strcat", 's', "st"}, {"strncat", 's', "stn"},
    {"mempcpy", 'p', "pqn"}, {"bcopy", 'v', "qpn"}, {"bzero", 'v', "pn"}, {"strchr", 's', "ti"},
    {"strrchr", 's', "ti"}, {"memchr", 'p', "qin"}, {"memrchr", 'p', "qin"}, {"strstr", 's', "tt"},
    {"strspn", 'n', "tt"}, {"strcspn", 'n', "tt"}, {"strpbrk", 's', "tt"}, {"strtok_r", 's', "ste"},
    {"abs", 'i', "i"}, {"labs", 'l', "l"}, {"llabs", 'l', "l"}, {"ffs", 'i', "i"}, {"strtol", 'l', "tei"},
    {"strtoll", 'l', "tei"}, {"strtoul", 'n', "tei"}, {"strtoull", 'n', "tei"}, {"atoi", 'i', "t"},
    {"atol", 'l', "t"}, {"atoll", 'l', "t"}, {"isalnum", 'i', "i"}, {"isalpha", 'i', "i"}, {"isblank", 'i', "i"},
    {"iscntrl", 'i', "i"}, {"isdigit", 'i', "i"}, {"isgraph", 'i', "i"}, {"islower", 'i', "i"},
    {"isprint", 'i', "i"}, {"ispunct", 'i', "i"}, {"isspace", 'i', "i"}, {"isupper", 'i', "i"},
    {"isxdigit", 'i', "i"}, {"tolower", 'i', "i"}, {"toupper", 'i', "i"},
    {"sprintf", 'i', "st."}, {"snprintf", 'i', "snt."}, {"__salix_format", 'i', "sntn."},
    {"strtok", 's', "st", IN_LIBRARY}, {"rand", 'i', "", IN_LIBRARY}, {"srand", 'v', "i", IN_LIBRARY},
    {"bsearch", 'p', "qqnnf", IN_LIBRARY}, {"qsort", 'v', "pnnf", IN_LIBRARY}, {"malloc", 'p', "n", IN_HEAP},
    {"calloc", 'p', "nn", IN_HEAP}, {"realloc", 'p', "pn", IN_HEAP}, {"aligned_alloc", 'p', "nn", IN_HEAP},
    {"free", 'v', "p", IN_HEAP}, {"strdup", 's', "t", IN_HEAP}, {"strndup", 's', "tn", IN_HEAP}};

/* The number of a function of the library in the table, from 1 on; 0: it is none. */
static u32 supplied_function(const Name *name)
{
    u32 i;
    for (i = 0; i < sizeof supplied_functions / sizeof supplied_functions[0]; i++)
        if (name->text[0] == supplied_functions[i].name[0] && name->length == strlen(supplied_functions[i].name) &&
            memcmp(name->text, supplied_functions[i].name, name->length) == 0)
            return i + 1;
    return 0;
}

/* What a function of the library is, declared or not. 0: there is none of that name. */
static Type *library_function(const Name *name)
{
    u32 known = supplied_function(name);
    if (!known) return 0;
    return function_type(letter_type(supplied_functions[known - 1].result), supplied_functions[known - 1].parameters);
}

static const char say_log[] = "write messages with sf_log from \"spinfoam.h\"";
static const char say_buffer[] = "format into a buffer with snprintf, and write that with sf_log from \"spinfoam.h\"";
static const char say_end[] = "to end with an error, return a code from the function that the runtime calls";
static const char say_files[] = "a Loop has no files; it asks its host for things with sf_host_call of \"spinfoam.h\"";

/* Functions that a C program takes for granted, but that only its host can have; and what a Loop writes instead. */
static const struct {
    char name[12];
    const char *instead;
} host_functions[] = {
    {"printf", say_buffer}, {"puts", say_log}, {"putchar", say_log}, {"fprintf", say_buffer}, {"fputs", say_log},
    {"fputc", say_log}, {"putc", say_log}, {"fwrite", say_log}, {"perror", say_log}, {"fflush", say_log},
    {"vprintf", say_buffer}, {"vfprintf", say_buffer},
    {"abort", say_end}, {"exit", say_end}, {"_exit", say_end}, {"fopen", say_files}, {"fclose", say_files},
    {"fread", say_files}, {"getchar", say_files}, {"getenv", say_files}};

/* The number of a host function in the table, from 1 on; 0: it is none that everybody knows. */
static u32 host_function(const char *text, u32 length)
{
    u32 i;
    for (i = 0; i < sizeof host_functions / sizeof host_functions[0]; i++)
        if (text[0] == host_functions[i].name[0] && length == strlen(host_functions[i].name) &&
            memcmp(text, host_functions[i].name, length) == 0)
            return i + 1;
    return 0;
}

static Symbol *first_called, *last_called;

/* Remembers a call of a function that is not defined so far. */
static void note_call(Symbol *symbol, u32 position)
{
    if (symbol->called_at || symbol->is_defined) return;
    symbol->called_at = position;
    if (last_called) last_called->next_called = symbol;
    else first_called = symbol;
    last_called = symbol;
}

/* Warns of functions that everybody knows, but that the program does not define and a Loop's host does not have. */
static void warn_of_host_functions(void)
{
    Symbol *symbol;
    for (symbol = first_called; symbol; symbol = symbol->next_called) {
        u32 known = host_function(symbol->name->text, symbol->name->length);
        if (!known || symbol->is_defined || !begin_warning(symbol->called_at)) continue;
        say_name(symbol->name);
        say(" is a function of the host, and the host of a Loop has none of that name");
        end_message();
        hint(host_functions[known - 1].instead);
    }
}

/* Functions of other platforms that cannot exist here, whether declared or not. */
static void refuse_unavailable(const Name *name, u32 position)
{
    static const char say_jump[] = "return a code from each function, or use goto inside of one";
    static const struct {
        char name[20];
        const char *instead;
    } unavailable[] = {
        {"setjmp", say_jump}, {"_setjmp", say_jump}, {"sigsetjmp", say_jump}, {"longjmp", say_jump},
        {"siglongjmp", say_jump}, {"__builtin_setjmp", say_jump}, {"__builtin_longjmp", say_jump},
        {"alloca", "use an array of the greatest length that is needed"},
        {"__builtin_alloca", "use an array of the greatest length that is needed"}};
    u32 i;
    for (i = 0; i < sizeof unavailable / sizeof unavailable[0]; i++)
        if (name->length == strlen(unavailable[i].name) && starts_with(name->text, unavailable[i].name)) {
            error_about(position, "there is no ", name, " here");
            hint(unavailable[i].instead);
        }
}

/* What to write instead of including a header that nobody supplies. */
static void suggest_for_header(const char *path, u32 length)
{
    static const struct {
        char path[16];
        const char *instead;
    } headers[] = {
        {"stdarg.h", "a function has a fixed number of parameters here, or takes an array and its length"},
        {"setjmp.h", "return a code from each function, or use goto inside of one"},
        {"math.h", "compute with integers in a small unit: cents instead of 0.01, milliseconds instead of seconds"},
        {"float.h", "compute with integers in a small unit: cents instead of 0.01, milliseconds instead of seconds"},
        {"complex.h", "compute with integers in a small unit: cents instead of 0.01, milliseconds instead of seconds"},
        {"time.h", "ask for the time with sf_now_unix_ms of \"spinfoam.h\", wait with sf_sleep_ms"},
        {"sys/time.h", "ask for the time with sf_now_unix_ms of \"spinfoam.h\", wait with sf_sleep_ms"},
        {"unistd.h", "a Loop has no files and no processes; it asks its host with sf_host_call of \"spinfoam.h\""},
        {"fcntl.h", "a Loop has no files and no processes; it asks its host with sf_host_call of \"spinfoam.h\""},
        {"signal.h", "there are no signals here: a Loop waits for events with sf_event_next of \"spinfoam.h\""},
        {"pthread.h", "there are no threads here: a Loop runs alone in its memory"},
        {"threads.h", "there are no threads here: a Loop runs alone in its memory"}};
    u32 i;
    for (i = 0; i < sizeof headers / sizeof headers[0]; i++)
        if (length == strlen(headers[i].path) && memcmp(path, headers[i].path, length) == 0) hint(headers[i].instead);
}
