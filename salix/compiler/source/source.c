/* The files of a build, positions in them, and messages about them.
 *
 * A position is one number: the files' texts lie one after the other in it, from 1 on; 0 is nowhere. A file is copied
 * when it is first included, without the ends of lines that a backslash splices; its table of lines says where each
 * physical line starts, so that positions still know their line.
 */

#define MAX_FILES 96
#define MESSAGE_BYTES 16384
#define ROOM_FOR_LAST 400
#define MAX_ERRORS 20

typedef struct {
    u32 offset;
    u32 number;
} Line;

typedef struct {
    const char *path;
    u32 path_length;
    const char *given; /* the bytes as submitted */
    u32 given_length;
    char *text; /* 0 until the file is included for the first time; ends with a newline and a NUL */
    u32 length;
    u32 first; /* position of its first character */
    Line *lines;
    u32 line_count;
    i64 line_change; /* what #line says */
    const char *shown_path; /* the same, as a string with its quotes; or 0 */
    u8 once;
    u8 supplied; /* comes with the compiler: no warnings about it */
} File;

static File files[MAX_FILES];
static u32 file_count;
static u32 next_position = 1;

static char messages[MESSAGE_BYTES];
static u32 messages_length;
static u32 messages_lost;
static u32 error_count;
static u32 warning_count;
static u32 message_position; /* of the message that is being written */
static u8 panic;             /* after a syntax error, until the parser has found its way again */

/* ---- places ---- */

static File *file_of(u32 position)
{
    u32 i;
    for (i = 0; i < file_count; i++)
        if (files[i].text && position >= files[i].first && position - files[i].first <= files[i].length)
            return &files[i];
    return 0;
}

/* The entry of the line table that holds `offset`. */
static u32 line_at(const File *file, u32 offset)
{
    u32 low = 0, high = file->line_count;
    while (high - low > 1) {
        u32 middle = (low + high) / 2;
        if (file->lines[middle].offset <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static u32 line_number(u32 position)
{
    File *file = file_of(position);
    if (!file) return 0;
    return file->lines[line_at(file, position - file->first)].number;
}

/* ---- messages ---- */

static void say_text(const char *text, u32 length)
{
    if (messages_length + length > MESSAGE_BYTES) {
        length = MESSAGE_BYTES - messages_length;
        messages_lost = 1;
    }
    memcpy(messages + messages_length, text, length);
    messages_length += length;
}

static void say(const char *text)
{
    say_text(text, (u32)strlen(text));
}

static void say_number(i64 number)
{
    char digits[24];
    u32 at = 24;
    u64 rest = number < 0 ? 0 - (u64)number : (u64)number;
    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    if (number < 0) digits[--at] = '-';
    say_text(digits + at, 24 - at);
}

static void begin_message(u32 position, const char *severity)
{
    File *file = file_of(position);
    message_position = position;
    if (file) {
        u32 offset = position - file->first, line = line_at(file, offset);
        say_text(file->path, file->path_length);
        say(":");
        say_number(file->lines[line].number);
        say(":");
        say_number(offset - file->lines[line].offset + 1);
        say(": ");
    }
    say(severity);
}

/* The line, and a caret below the place. Tabs stay tabs, so that the caret is below whatever they are. */
static void end_message(void)
{
    File *file = file_of(message_position);
    say("\n");
    if (file && message_position) {
        u32 offset = message_position - file->first, line = line_at(file, offset);
        u32 start = file->lines[line].offset, end = start, i;
        if (offset - start > 160) start = offset - 80;
        end = start;
        while (end < file->length && end - start < 200 && file->text[end] != '\n') end++;
        say("    ");
        say_text(file->text + start, end - start);
        say("\n    ");
        for (i = start; i < offset; i++)
            if (((u8)file->text[i] & 0xc0) != 0x80) say_text(file->text[i] == '\t' ? "\t" : " ", 1);
        say("^\n");
    }
}

static void give_up(void);

static void begin_error(u32 position)
{
    if (error_count >= MAX_ERRORS || messages_length > MESSAGE_BYTES - ROOM_FOR_LAST) {
        say("too many errors; the rest is not shown\n");
        messages_lost = 1;
        give_up();
    }
    error_count++;
    begin_message(position, "error: ");
}

static void error(u32 position, const char *text)
{
    begin_error(position);
    say(text);
    end_message();
}

static void hint(const char *text)
{
    say("    hint: ");
    say(text);
    say("\n");
}

static i32 begin_warning(u32 position)
{
    File *file = file_of(position);
    if ((file && file->supplied) || messages_length > MESSAGE_BYTES / 2) return 0;
    warning_count++;
    begin_message(position, "warning: ");
    return 1;
}

static void warning(u32 position, const char *text)
{
    if (!begin_warning(position)) return;
    say(text);
    end_message();
}

/* An error after which there is no going on. */
static void fatal(u32 position, const char *text)
{
    error_count++;
    begin_message(position, "error: ");
    say(text);
    end_message();
    give_up();
}

/* A syntax error. Others are not reported until the parser has found its way again. */
static void confused(u32 position, const char *text)
{
    if (!panic) error(position, text);
    panic = 1;
}

/* ---- reading a file ---- */

/* Whether the bytes from `at` are one character of UTF-8; its length, or 0. */
static u32 utf8_length(const u8 *at, u64 left)
{
    u32 i, length = *at < 0x80 ? 1 : *at >= 0xc2 && *at < 0xe0 ? 2 : (*at & 0xf0) == 0xe0 ? 3 : 0;
    if (*at >= 0xf0 && *at < 0xf5) length = 4;
    if (length > left) return 0;
    for (i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80) return 0;
    return length;
}

/* Writes a character as UTF-8; its length. */
static u32 put_utf8(u8 *to, u32 value)
{
    u32 length = value < 0x80 ? 1 : value < 0x800 ? 2 : value < 0x10000 ? 3 : 4, i;
    for (i = length - 1; i > 0; i--) {
        to[i] = (u8)(0x80 | (value & 0x3f));
        value >>= 6;
    }
    to[0] = length == 1 ? (u8)value : (u8)((0xf00u >> length) | value);
    return length;
}

static void load_file(File *file)
{
    u32 from = 0, to = 0, number = 1, lines = 2, i;
    char *text;
    for (i = 0; i < file->given_length; i++)
        if (file->given[i] == '\n') lines++;
    text = keep((u64)file->given_length + 4);
    file->lines = keep((u64)lines * sizeof(Line));
    file->first = next_position;
    next_position += file->given_length + 4;
    file->lines[0].number = 1;
    file->line_count = 1;
    file->text = text;
    if (starts_with(file->given, "\xef\xbb\xbf")) from = 3;
    while (from < file->given_length) {
        u32 length = utf8_length((const u8 *)file->given + from, file->given_length - from), spliced = 0;
        char c = file->given[from];
        if (length == 0) length = 1; /* it may stand in comments and texts */
        if (c == 0) {
            file->length = to;
            fatal(file->first + to, "a NUL byte in the source; sources are text in UTF-8");
        }
        if (c == '\r' && file->given[from + 1] == '\n') {
            from++;
            continue;
        }
        if (c == '\\') {
            if (file->given[from + 1] == '\n') spliced = 2;
            if (file->given[from + 1] == '\r' && file->given[from + 2] == '\n') spliced = 3;
        }
        if (spliced) {
            from += spliced;
        } else {
            for (i = 0; i < length; i++) text[to++] = file->given[from++];
        }
        if (spliced || c == '\n') {
            file->lines[file->line_count].offset = to;
            file->lines[file->line_count++].number = ++number;
        }
    }
    text[to] = '\n';
    file->length = to;
}
