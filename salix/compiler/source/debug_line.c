/* .debug_line, DWARF version 4 (section 6.2): which C line each instruction came from. */

enum { DW_COPY = 1, DW_ADVANCE_PC = 2, DW_ADVANCE_LINE = 3, DW_SET_FILE = 4, DW_END_SEQUENCE = 1, DW_SET_ADDRESS = 2 };
#define LINE_BASE (-3)
#define LINE_RANGE 12
#define OPCODE_BASE 13

static u8 *line_bytes;
static u64 line_count;
static u64 line_room;
static u32 line_section;
static u8 want_lines = 1;
static u32 lines_end = ~0u; /* what is read from this position on has no lines: a fault there is told of at the call */
static u64 line_addresses[64]; /* where a section's address stands, and which */
static u32 line_address_sections[64];
static u32 line_address_count;

static void line_byte(u32 value)
{
    if (line_count < line_room) line_bytes[line_count++] = (u8)value;
}

static void line_uleb(u64 value)
{
    while (value >= 0x80) {
        line_byte((u32)(value & 0x7f) | 0x80);
        value >>= 7;
    }
    line_byte((u32)value);
}

static void line_sleb(i64 value)
{
    for (;;) {
        u32 byte = (u32)value & 0x7f;
        value >>= 7;
        if ((value == 0 && !(byte & 0x40)) || (value == -1 && (byte & 0x40))) {
            line_byte(byte);
            return;
        }
        line_byte(byte | 0x80);
    }
}

static u32 file_number(u32 position)
{
    u32 i, number = 0;
    for (i = 0; i < file_count; i++)
        if (files[i].text) {
            number++;
            if (position >= files[i].first && position - files[i].first <= files[i].length) return number;
        }
    return 0;
}

static void line_header(void)
{
    static const u8 operands[] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};
    u32 i, k;
    u64 start;
    line_count = 4; /* the length of the unit */
    line_byte(4);
    line_byte(0);
    line_count += 4; /* the length of the rest of the header */
    start = line_count;
    line_byte(8);
    line_byte(1);
    line_byte(1);
    line_byte((u32)LINE_BASE & 0xff);
    line_byte(LINE_RANGE);
    line_byte(OPCODE_BASE);
    for (i = 0; i < sizeof operands; i++) line_byte(operands[i]);
    line_byte(0); /* no folders */
    for (i = 0; i < file_count; i++)
        if (files[i].text) {
            for (k = 0; k < files[i].path_length; k++) line_byte((u8)files[i].path[k]);
            for (k = 0; k < 4; k++) line_byte(0);
        }
    line_byte(0);
    put_number(line_bytes + start - 4, line_count - start, 4);
}

static void line_sequence(u32 section)
{
    Function *function;
    u32 file = 1, line = 1, last = 0, at, i;
    line_byte(0);
    line_byte(9);
    line_byte(DW_SET_ADDRESS);
    line_addresses[line_address_count] = line_count;
    line_address_sections[line_address_count++] = section;
    for (i = 0; i < 8; i++) line_byte(0);
    for (function = first_function; function; function = function->next) {
        u32 previous = 0;
        if (!function->reachable || function->section != section) continue;
        for (i = 0; i < function->word_count; i++) {
            u32 position = function->positions[i], new_file, new_line;
            i64 change;
            if (position == previous || !position) continue;
            previous = position;
            new_file = position < lines_end ? file_number(position) : file;
            if (!new_file) continue;
            new_line = position < lines_end ? line_number(position) : 0; /* no line, says DWARF */
            at = function->offset + i;
            if (new_file == file && new_line == line && at) continue;
            if (new_file != file) {
                line_byte(DW_SET_FILE);
                line_uleb(new_file);
                file = new_file;
            }
            change = (i64)new_line - line;
            if (change < LINE_BASE || change >= LINE_BASE + LINE_RANGE) {
                line_byte(DW_ADVANCE_LINE);
                line_sleb(change);
                change = 0;
            }
            if (at - last >= (255 - OPCODE_BASE) / LINE_RANGE - 1) {
                line_byte(DW_ADVANCE_PC);
                line_uleb(at - last);
                last = at;
            }
            line_byte((u32)(OPCODE_BASE + (change - LINE_BASE) + (i64)LINE_RANGE * (at - last)));
            last = at;
            line = new_line;
        }
    }
    line_byte(DW_ADVANCE_PC);
    line_uleb(sections[section].size / 8 - last);
    line_byte(0);
    line_byte(1);
    line_byte(DW_END_SEQUENCE);
}

static void make_unit_section(const File *file);

static void make_line_section(void)
{
    Function *function;
    u32 i;
    if (!want_lines) return;
    line_room = 512;
    for (function = first_function; function; function = function->next)
        if (function->reachable) line_room += (u64)function->word_count * 4 + 16;
    for (i = 0; i < file_count; i++) line_room += files[i].path_length + 8;
    line_room += code_section_count * 32;
    line_bytes = keep(line_room);
    line_header();
    for (i = 1; i <= code_section_count; i++) line_sequence(i);
    put_number(line_bytes, line_count - 4, 4);
    line_section = named_section(".debug_line", SHT_PROGBITS, 0, 1);
    sections[line_section].content = line_bytes;
    sections[line_section].size = line_count;
    sections[line_section].rel_section = named_section(".rel.debug_line", SHT_REL, 0, 8);
    sections[sections[line_section].rel_section].info = line_section;
    sections[sections[line_section].rel_section].entry_bytes = 16;
    sections[sections[line_section].rel_section].size = (u64)line_address_count * 16;
    make_unit_section(file_of(tokens[0].position ? tokens[0].position : 1));
}

/* One unit that has nothing but a name and its lines: debuggers find the lines through it (DWARF 4, section 7.5). */
static void make_unit_section(const File *file)
{
    static const u8 abbreviation[] = {1, 0x11, 0, 0x03, 0x08, 0x10, 0x17, 0, 0, 0}; /* compile_unit: name, stmt_list */
    u32 section;
    u64 size = 11 + 1 + (u64)file->path_length + 1 + 4;
    u8 *unit = keep(size);
    section = named_section(".debug_abbrev", SHT_PROGBITS, 0, 1);
    sections[section].content = (u8 *)abbreviation;
    sections[section].size = sizeof abbreviation;
    put_number(unit, size - 4, 4);
    put_number(unit + 4, 4, 2);
    put_number(unit + 10, 8, 1);
    put_number(unit + 11, 1, 1);
    memcpy(unit + 12, file->path, file->path_length);
    section = named_section(".debug_info", SHT_PROGBITS, 0, 1);
    sections[section].content = unit;
    sections[section].size = size;
}

static void finish_line_section(void)
{
    u32 i;
    if (!want_lines) return;
    for (i = 0; i < line_address_count; i++)
        add_relocation(line_section, line_addresses[i], sections[line_address_sections[i]].symbol, R_BPF_64_ABS64);
}
