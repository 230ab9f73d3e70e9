/* Functions and data to a relocatable ELF object, as `validator/` reads it.
 *
 * Sections: the code sections in the order of their first function, .rodata, .data, .bss, then what describes them.
 * Every code and data section has a section symbol; data is referred to through it, its offset in the field.
 */

#define MAX_SECTIONS 32
enum { SHT_PROGBITS = 1, SHT_SYMTAB = 2, SHT_STRTAB = 3, SHT_NOBITS = 8, SHT_REL = 9 };
enum { SHF_WRITE = 1, SHF_ALLOC = 2, SHF_EXECINSTR = 4 };
enum { R_BPF_64_64 = 1, R_BPF_64_ABS64 = 2, R_BPF_64_32 = 10 };

typedef struct {
    const char *name;
    u32 name_length;
    u32 name_offset;
    u32 type;
    u32 flags;
    u32 link, info, entry_bytes;
    u32 alignment;
    u64 size;
    u64 offset;
    u8 *content;
    u32 symbol; /* its section symbol */
    u32 rel_count;
    u32 rel_section;
    u64 filled; /* of a section of relocations, so far */
} Section;

static Section sections[MAX_SECTIONS];
static u32 section_count = 1; /* the first is none */
static u32 data_sections[4];  /* by SECTION_... */
static u32 code_section_count;
static u8 *object;
static u64 object_bytes;
static u32 output_limit;

static u32 add_section(const char *name, u32 name_length, u32 type, u32 flags, u32 alignment)
{
    Section *section = &sections[section_count];
    if (section_count >= MAX_SECTIONS) fatal(0, "the program has too many sections");
    section->name = name;
    section->name_length = name_length;
    section->type = type;
    section->flags = flags;
    section->alignment = alignment;
    return section_count++;
}

static u32 named_section(const char *name, u32 type, u32 flags, u32 alignment)
{
    return add_section(name, (u32)strlen(name), type, flags, alignment);
}

static void put_number(u8 *to, u64 value, u32 size)
{
    u32 i;
    for (i = 0; i < size; i++) to[i] = (u8)(value >> (8 * i));
}

/* ---- what goes into the object ---- */

static Symbol *reached_data;
static Function *pending; /* reached, but not what they call */

static void reach_function(Function *function)
{
    if (!function || function->reachable) return;
    function->reachable = 1;
    function->next_pending = pending;
    pending = function;
}

static void find_reachable(void)
{
    Function *function;
    u32 i;
    for (function = first_function; function; function = function->next)
        if (!function->symbol->is_static || function->symbol->pointer_number || function->symbol->section_name)
            reach_function(function);
    while (pending) {
        function = pending;
        pending = function->next_pending;
        for (i = 0; i < function->count; i++) {
            Symbol *callee = function->code[i].op == I_CALL ? calls[function->code[i].other]->callee : 0;
            if (callee) reach_function(callee->function);
        }
    }
}

static i32 some_function_is_reachable(void)
{
    Function *function;
    for (function = first_function; function; function = function->next)
        if (function->reachable) return 1;
    return 0;
}

/* Static objects that nothing refers to are left out. */
static void reach_data(Symbol *symbol)
{
    if (symbol->is_reached) return;
    symbol->is_reached = 1;
    symbol->next_reached = reached_data;
    reached_data = symbol;
}

static void find_data(void)
{
    Function *function;
    Symbol *symbol;
    Relocation *relocation;
    Fixup *one;
    for (symbol = first_symbol; symbol; symbol = symbol->next) {
        if (symbol->kind == A_VARIABLE && !symbol->is_static) reach_data(symbol);
        if (symbol->kind != A_VARIABLE || !symbol->is_defined || is_complete(symbol->type)) continue;
        if (symbol->type->kind == TYPE_ARRAY && is_complete(symbol->type->base)) {
            symbol->type = array_of(symbol->type->base, 1); /* C11 6.9.2p5 */
        } else if (symbol->name && !is_error(symbol->type)) {
            error_about(symbol->position, "the size of ", symbol->name, " is not known at the end of the program");
        }
    }
    for (function = first_function; function; function = function->next)
        for (one = function->reachable ? function->fixups : 0; one; one = one->next)
            if (one->kind == FIX_ADDRESS) reach_data(one->symbol);
    while (reached_data) {
        symbol = reached_data;
        reached_data = symbol->next_reached;
        for (relocation = symbol->relocations; relocation; relocation = relocation->next)
            reach_data(relocation->symbol);
    }
    for (symbol = first_symbol; symbol; symbol = symbol->next)
        if (symbol->kind == A_VARIABLE && !symbol->is_reached) symbol->is_dropped = 1;
}

static void place_functions(void)
{
    Function *function;
    u32 i;
    for (function = first_function; function; function = function->next) {
        const char *name = function->symbol->section_name;
        u32 length = function->symbol->section_name_length;
        if (!function->reachable) continue;
        if (!name) {
            name = ".text";
            length = 5;
        }
        for (i = 1; i < section_count; i++)
            if (sections[i].name_length == length && memcmp(sections[i].name, name, length) == 0) break;
        if (i == section_count) i = add_section(name, length, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 8);
        function->section = i;
        function->offset = (u32)(sections[i].size / 8);
        sections[i].size += (u64)function->word_count * 8;
    }
    code_section_count = section_count - 1;
}

static void place_data(void)
{
    static const char section_names[4][8] = {"", ".rodata", ".data", ".bss"};
    Symbol *symbol;
    u32 kind;
    for (kind = SECTION_RODATA; kind <= SECTION_BSS; kind++) {
        data_sections[kind] = named_section(section_names[kind], kind == SECTION_BSS ? SHT_NOBITS : SHT_PROGBITS,
                                            kind == SECTION_RODATA ? SHF_ALLOC : SHF_ALLOC | SHF_WRITE, 1);
        for (symbol = first_symbol; symbol; symbol = symbol->next) {
            Section *section = &sections[data_sections[kind]];
            u32 alignment = alignment_of(symbol->type);
            if (symbol->kind != A_VARIABLE || symbol->section != kind || !symbol->is_defined || symbol->is_dropped)
                continue;
            if (size_of(symbol->type) > MAX_OBJECT_BYTES)
                error_about(symbol->position, "", symbol->name, " is too big: all static objects share 64 MiB");
            if (symbol->alignment > alignment) alignment = symbol->alignment;
            if (alignment > section->alignment) section->alignment = alignment;
            section->size = (u64)round_up((i64)section->size, alignment);
            symbol->value = (i64)section->size;
            section->size += (u64)(size_of(symbol->type) + symbol->more_bytes);
        }
        if (sections[data_sections[kind]].size == 0) sections[data_sections[kind]].size = 8;
    }
}

/* ---- symbols ---- */

static u8 *symbol_table;
static u32 symbol_rows;
static u8 *string_table;
static u32 string_bytes;

static u32 add_string(const char *text, u32 length)
{
    u32 offset = string_bytes;
    memcpy(string_table + offset, text, length);
    string_bytes += length + 1;
    return offset;
}

static u32 add_symbol(u32 name, u32 info, u32 section, u64 value, u64 size)
{
    u8 *row = symbol_table + (u64)symbol_rows * 24;
    put_number(row, name, 4);
    put_number(row + 4, info, 1);
    put_number(row + 6, section, 2);
    put_number(row + 8, value, 8);
    put_number(row + 16, size, 8);
    return symbol_rows++;
}

/* The name as the object has it: bytes beyond ASCII are spelt out, `_x` and two digits each. */
static u32 symbol_name(const Symbol *symbol)
{
    const Name *name = symbol->name;
    u32 offset = string_bytes, i;
    if (!name) return 0;
    for (i = 0; i < name->length; i++) {
        u8 c = (u8)name->text[i];
        if (c < 0x80) {
            string_table[string_bytes++] = c;
            continue;
        }
        string_table[string_bytes++] = '_';
        string_table[string_bytes++] = 'x';
        string_table[string_bytes++] = (u8)"0123456789abcdef"[c >> 4];
        string_table[string_bytes++] = (u8)"0123456789abcdef"[c & 15];
    }
    string_bytes++;
    return offset;
}

static void add_object_symbol(Symbol *symbol, u32 binding)
{
    if (symbol->kind == A_FUNCTION && symbol->function && symbol->function->reachable)
        symbol->elf_number = add_symbol(symbol_name(symbol), binding << 4 | 2, symbol->function->section,
                                        (u64)symbol->function->offset * 8, (u64)symbol->function->word_count * 8);
    else if (symbol->kind == A_VARIABLE && symbol->is_defined && !symbol->is_dropped && symbol->name)
        symbol->elf_number = add_symbol(symbol_name(symbol), binding << 4 | 1, data_sections[symbol->section],
                                        (u64)symbol->value, (u64)(size_of(symbol->type) + symbol->more_bytes));
}

/* The number of local symbols. */
static u32 make_symbols(void)
{
    Symbol *symbol;
    Function *function;
    u32 rows = section_count + 1, locals, i;
    u64 bytes = 64;
    for (symbol = first_symbol; symbol; symbol = symbol->next) {
        rows++;
        bytes += symbol->name ? 4 * symbol->name->length + 1 : 0;
    }
    for (function = first_function; function; function = function->next) {
        put_in_object(function->symbol);
        rows++;
        bytes += 4 * function->symbol->name->length + 1;
    }
    for (i = 1; i < section_count; i++) bytes += sections[i].name_length * 2 + 16;
    symbol_table = keep((u64)rows * 24);
    string_table = keep(bytes + 256);
    string_bytes = 1;
    symbol_rows = 1;
    for (i = 1; i < section_count; i++) sections[i].symbol = add_symbol(0, 3, i, 0, 0);
    for (symbol = first_symbol; symbol; symbol = symbol->next)
        if (symbol->is_static) add_object_symbol(symbol, 0);
    locals = symbol_rows;
    for (symbol = first_symbol; symbol; symbol = symbol->next)
        if (!symbol->is_static) add_object_symbol(symbol, symbol->is_weak ? 2 : 1);
    for (symbol = first_symbol; symbol; symbol = symbol->next)
        if (symbol->kind == A_FUNCTION && !symbol->is_defined && !symbol->elf_number)
            symbol->elf_number = add_symbol(symbol_name(symbol), 1 << 4, 0, 0, 0);
    return locals;
}

/* ---- contents and relocations ---- */

static void add_relocation(u32 section, u64 offset, u32 symbol, u32 type)
{
    Section *rel = &sections[sections[section].rel_section];
    u8 *row = rel->content + rel->filled;
    put_number(row, offset, 8);
    put_number(row + 8, (u64)symbol << 32 | type, 8);
    rel->filled += 16;
}

static void count_relocations(void)
{
    Function *function;
    Fixup *one;
    Symbol *symbol;
    Relocation *relocation;
    u32 i, last = section_count;
    for (function = first_function; function; function = function->next)
        if (function->reachable)
            for (one = function->fixups; one; one = one->next) sections[function->section].rel_count++;
    for (symbol = first_symbol; symbol; symbol = symbol->next)
        if (symbol->kind == A_VARIABLE && symbol->is_defined && !symbol->is_dropped)
            for (relocation = symbol->relocations; relocation; relocation = relocation->next)
                sections[data_sections[symbol->section]].rel_count++;
    for (i = 1; i < last; i++)
        if (sections[i].rel_count) {
            char *name = keep((u64)sections[i].name_length + 8);
            memcpy(name, ".rel", 4);
            memcpy(name + 4, sections[i].name, sections[i].name_length);
            sections[i].rel_section = add_section(name, sections[i].name_length + 4, SHT_REL, 0, 8);
            sections[sections[i].rel_section].info = i;
            sections[sections[i].rel_section].entry_bytes = 16;
            sections[sections[i].rel_section].size = (u64)sections[i].rel_count * 16;
        }
}

static void check_defined(const Symbol *symbol)
{
    if (symbol->kind == A_VARIABLE && !symbol->is_defined && !symbol->is_dropped && !symbol->alias)
        error_about(symbol->position, "the variable ", symbol->name, " is declared, but defined nowhere");
    if (symbol->kind == A_FUNCTION && !symbol->is_defined && symbol->is_static)
        error_about(symbol->position, "the function ", symbol->name, " is declared, but defined nowhere");
}

static void fill_code(Function *function)
{
    Section *section = &sections[function->section];
    u8 *to = section->content + (u64)function->offset * 8;
    Fixup *one;
    for (one = function->fixups; one; one = one->next) {
        u64 *field = &function->words[one->at];
        u64 at = ((u64)function->offset + one->at) * 8;
        if (one->kind == FIX_CALL) {
            Function *callee = one->symbol->function;
            if (callee && callee->section == function->section) {
                i64 distance = (i64)callee->offset - function->offset - one->at - 1;
                *field = (*field & 0xffffffffULL) | (u64)(u32)distance << 32;
            } else {
                add_relocation(function->section, at, one->symbol->elf_number, R_BPF_64_32);
            }
        } else {
            i64 addend = one->symbol->value + one->addend;
            *field = (*field & 0xffffffffULL) | (u64)(u32)addend << 32;
            add_relocation(function->section, at, sections[data_sections[one->symbol->section]].symbol, R_BPF_64_64);
        }
    }
    memcpy(to, function->words, (u64)function->word_count * 8);
}

static void fill_data(Symbol *symbol)
{
    Section *section = &sections[data_sections[symbol->section]];
    Relocation *relocation;
    u8 *to;
    if (symbol->section == SECTION_BSS) return;
    to = section->content + symbol->value;
    memcpy(to, symbol->data, (u64)(size_of(symbol->type) + symbol->more_bytes));
    for (relocation = symbol->relocations; relocation; relocation = relocation->next) {
        u8 *field = to + relocation->offset;
        u64 addend = 0;
        u32 i;
        for (i = 0; i < 8; i++) addend |= (u64)field[i] << (8 * i);
        put_number(field, addend + (u64)relocation->symbol->value, 8);
        add_relocation(data_sections[symbol->section], (u64)symbol->value + relocation->offset,
                       sections[data_sections[relocation->symbol->section]].symbol, R_BPF_64_ABS64);
    }
}

/* Gives each section its place in the object, and moves there what is known of it. */
static void lay_out(u32 names)
{
    u64 at = 64, headers;
    u32 i;
    for (i = 1; i < section_count; i++) {
        sections[i].offset = (u64)round_up((i64)at, 8);
        at = sections[i].offset + (sections[i].type == SHT_NOBITS ? 0 : sections[i].size);
    }
    headers = (u64)round_up((i64)at, 8);
    object_bytes = headers + (u64)section_count * 64;
    if (object_bytes > output_limit) {
        begin_error(0);
        say("the program is too big: ");
        say_number((i64)object_bytes);
        say(" bytes, at most ");
        say_number(output_limit);
        say(" are allowed");
        end_message();
        return;
    }
    object = keep(object_bytes);
    memcpy(object, "\177ELF\2\1\1", 7);
    put_number(object + 16, 1, 2);
    put_number(object + 18, 247, 2);
    put_number(object + 20, 1, 4);
    put_number(object + 40, headers, 8);
    put_number(object + 52, 64, 2);
    put_number(object + 58, 64, 2);
    put_number(object + 60, section_count, 2);
    put_number(object + 62, names, 2);
    for (i = 1; i < section_count; i++) {
        Section *section = &sections[i];
        u8 *row = object + headers + (u64)i * 64;
        put_number(row, section->name_offset, 4);
        put_number(row + 4, section->type, 4);
        put_number(row + 8, section->flags, 8);
        put_number(row + 24, section->offset, 8);
        put_number(row + 32, section->size, 8);
        put_number(row + 40, section->link, 4);
        put_number(row + 44, section->info, 4);
        put_number(row + 48, section->alignment, 8);
        put_number(row + 56, section->entry_bytes, 8);
        if (section->content) memcpy(object + section->offset, section->content, section->size);
        section->content = object + section->offset;
    }
}

static void write_object(void)
{
    Function *function;
    Symbol *symbol;
    u32 i, locals, symtab, strtab;
    find_data();
    place_data();
    count_relocations();
    make_line_section();
    symtab = named_section(".symtab", SHT_SYMTAB, 0, 8);
    strtab = named_section(".strtab", SHT_STRTAB, 0, 1);
    locals = make_symbols();
    for (symbol = first_symbol; symbol; symbol = symbol->next) check_defined(symbol);
    if (error_count) return;
    for (i = 1; i < section_count; i++) {
        sections[i].name_offset = add_string(sections[i].name, sections[i].name_length);
        if (sections[i].type == SHT_REL) sections[i].link = symtab;
    }
    sections[symtab].content = symbol_table;
    sections[symtab].size = (u64)symbol_rows * 24;
    sections[symtab].link = strtab;
    sections[symtab].info = locals;
    sections[symtab].entry_bytes = 24;
    sections[strtab].content = string_table;
    sections[strtab].size = string_bytes;
    lay_out(strtab);
    if (error_count) return;
    for (function = first_function; function; function = function->next)
        if (function->reachable) fill_code(function);
    for (symbol = first_symbol; symbol; symbol = symbol->next)
        if (symbol->kind == A_VARIABLE && symbol->is_defined && !symbol->is_dropped) fill_data(symbol);
    finish_line_section();
}
