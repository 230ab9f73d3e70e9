/* Directives, inclusion, what is predefined; and the list of all tokens of the program, which is what comes out. */

/* ---- #include ---- */

static File *file_named(const char *path, u32 length)
{
    u32 i;
    for (i = 0; i < file_count; i++)
        if (files[i].path_length == length && memcmp(files[i].path, path, length) == 0) return &files[i];
    return 0;
}

/* Beside the file that includes it, else from the top; `.` and `..` are resolved. With `next`, as #include_next has it:
 * behind the submitted files come the supplied ones. */
static File *find_included(const char *path, u32 length, const File *from, i32 next)
{
    char joined[512];
    u32 end = 0, i;
    File *file;
    if (next) {
        for (i = 0; i < file_count; i++)
            if (files[i].supplied && files[i].path_length == length && memcmp(files[i].path, path, length) == 0)
                return &files[i];
        return 0;
    }
    if (from)
        for (i = 0; i < from->path_length && i < 200; i++) {
            joined[i] = from->path[i];
            if (joined[i] == '/') end = i + 1;
        }
    for (i = 0; i < length && end < 500;) {
        u32 part = i;
        while (part < length && path[part] != '/') part++;
        if (part - i == 2 && path[i] == '.' && path[i + 1] == '.') {
            if (end) end--;
            while (end && joined[end - 1] != '/') end--;
        } else if (!(part - i == 1 && path[i] == '.') && part > i) {
            while (i < part && end < 500) joined[end++] = path[i++];
            if (part < length) joined[end++] = '/';
        }
        i = part + 1;
    }
    file = file_named(joined, end);
    return file ? file : file_named(path, length);
}

static void enter_file(File *file)
{
    if (!file->text) load_file(file);
    memset(&reader, 0, sizeof reader);
    reader.file = file;
    reader.at = reader.start = file->text;
    reader.line_starts = 1;
    reader.conditions = condition_count;
}

static void suggest_for_header(const char *path, u32 length);

static void include_directive(u32 position, i32 next)
{
    const char *path, *start;
    u32 length = 0;
    File *file;
    Token token;
    skip_blanks();
    if (*reader.at == '<') {
        path = ++reader.at;
        while (*reader.at != '>' && *reader.at != '\n' && *reader.at) reader.at++;
        length = (u32)(reader.at - path);
        if (*reader.at == '>') reader.at++;
        skip_line();
    } else {
        Argument line;
        read_line(&line, 0);
        token = line.expanded[0];
        if (token.kind == T_STRING) {
            length = spelling(&token, &start) - 2;
            path = start + 1;
        } else if (token.kind == '<') { /* a macro that gives <path> */
            path = joined_path(line.expanded + 1, line.expanded + line.expanded_length, &length);
        } else {
            error(position, "#include needs the path of a file, in quotes");
            return;
        }
    }
    file = find_included(path, length, reader.file, next);
    if (!file) {
        begin_error(position);
        say("there is no file `");
        say_text(path, length > 120 ? 120 : length);
        say("` among those submitted");
        end_message();
        suggest_for_header(path, length);
        return;
    }
    if (file->once) return;
    if (++entered_count > MAX_ENTERED)
        fatal(position, "files are included too often; start each header with #pragma once");
    if (include_count >= MAX_INCLUDES)
        fatal(position, "files include each other without end; start each header with #pragma once");
    includes[include_count++] = reader;
    enter_file(file);
}

/* The rest of #line, for __LINE__ and __FILE__; messages name the real lines. */
static void line_directive(u32 position)
{
    Argument line;
    u32 suffix;
    read_line(&line, 0);
    if (line.expanded[0].kind != T_NUMBER) {
        error(position, "#line needs a number");
    } else if (reader.file) {
        reader.file->line_change =
            parse_integer(line.expanded[0].u.spelling, position, &suffix) - line_number(position) - 1;
        if (line.expanded_length > 1) {
            if (line.expanded[1].kind == T_STRING) reader.file->shown_path = line.expanded[1].u.spelling;
            else error(position, "behind the number of #line, only the name of a file in quotes may stand");
        }
    }
}

static void directive(const Token *hash)
{
    Token token;
    Name *name;
    u32 position;
    in_directive = 1;
    lex(&token);
    position = token.position;
    if (token.kind == T_NEWLINE || token.kind == T_END) {
        in_directive = 0;
        return;
    }
    name = token.kind == T_NAME ? token.u.name : 0;
    if (!name) {
        if (token.kind == T_NUMBER) { /* what preprocessors leave */
            reader.at = token.u.spelling;
            line_directive(position);
        } else {
            error(position, "a line that starts with # is a directive, such as #include");
            skip_line();
        }
    } else if (name == intern_text("define")) {
        define_directive();
    } else if (name == intern_text("include") || name == intern_text("include_next")) {
        include_directive(position, name->length > 7);
    } else if (name == intern_text("undef")) {
        lex(&token);
        if (token.kind == T_NAME && token.u.name != name_defined) token.u.name->macro = 0;
        else error(token.position, "#undef needs a name");
        if (token.kind != T_NEWLINE) end_of_directive("undef");
    } else if (name == intern_text("ifdef") || name == intern_text("ifndef")) {
        open_condition(position, definition_holds(name->length == 5));
    } else if (name == intern_text("if")) {
        open_condition(position, condition_holds(position));
    } else if (name == intern_text("else") || (starts_with(name->text, "elif") && is_elif(name))) {
        if (condition_count <= reader.conditions) {
            error(position, "#else or #elif without an #if in this file");
            skip_line();
        } else {
            if (conditions[condition_count - 1].seen_else) error(position, "nothing but #endif may follow an #else");
            if (name->text[2] == 's') conditions[condition_count - 1].seen_else = 1;
            skip_line();
            skip_group();
        }
    } else if (name == intern_text("endif")) {
        if (condition_count <= reader.conditions) error(position, "#endif without an #if in this file");
        else condition_count--;
        skip_line();
    } else if (name == intern_text("error") || name == intern_text("warning")) {
        const char *start, *end;
        skip_blanks();
        start = end = reader.at;
        while (*end != '\n' && *end) end++;
        if (name->text[0] == 'e') {
            begin_error(position);
            say("#error ");
            say_text(start, (u32)(end - start > 300 ? 300 : end - start));
            end_message();
        } else if (begin_warning(position)) {
            say("#warning ");
            say_text(start, (u32)(end - start > 300 ? 300 : end - start));
            end_message();
        }
        reader.at = end;
        skip_line();
    } else if (name == intern_text("pragma")) {
        pragma_directive(position);
    } else if (name == intern_text("line")) {
        line_directive(position);
    } else if (name == intern_text("ident") || name == intern_text("sccs")) {
        skip_line();
    } else {
        error_about(hash->position, "there is no directive #", name, "");
        skip_line();
    }
    in_directive = 0;
    reader.line_starts = 1;
}

static void define_special(const char *text, u8 special)
{
    Macro *macro = keep(sizeof *macro);
    macro->name = intern_text(text);
    macro->special = special;
    macro->name->macro = macro;
}

static const char predefined[] =
    "#define __STDC__ 1\n"
    "#define __STDC_VERSION__ 201112L\n"
    "#define __STDC_HOSTED__ 0\n"
    "#define __STDC_NO_VLA__ 1\n"
    "#define __STDC_NO_THREADS__ 1\n"
    "#define __STDC_NO_COMPLEX__ 1\n"
    "#define __salix__ 1\n"
    "#define __bpf__ 1\n"
    "#define __BPF__ 1\n"
    "#define __LP64__ 1\n"
    "#define _LP64 1\n"
    "#define __DATE__ \"Jan  1 1970\"\n"
    "#define __TIME__ \"00:00:00\"\n"
    "#define __TIMESTAMP__ \"Thu Jan  1 00:00:00 1970\"\n"
    "#define __CHAR_BIT__ 8\n"
    "#define __SCHAR_MAX__ 127\n"
    "#define __SHRT_MAX__ 32767\n"
    "#define __INT_MAX__ 2147483647\n"
    "#define __LONG_MAX__ 9223372036854775807L\n"
    "#define __LONG_LONG_MAX__ 9223372036854775807LL\n"
    "#define __SIZEOF_SHORT__ 2\n"
    "#define __SIZEOF_INT__ 4\n"
    "#define __SIZEOF_LONG__ 8\n"
    "#define __SIZEOF_LONG_LONG__ 8\n"
    "#define __SIZEOF_POINTER__ 8\n"
    "#define __SIZEOF_SIZE_T__ 8\n"
    "#define __SIZE_TYPE__ unsigned long\n"
    "#define __PTRDIFF_TYPE__ long\n"
    "#define __INTPTR_TYPE__ long\n"
    "#define __UINTPTR_TYPE__ unsigned long\n"
    "#define __WCHAR_TYPE__ int\n"
    "#define __INT8_TYPE__ signed char\n"
    "#define __INT16_TYPE__ short\n"
    "#define __INT32_TYPE__ int\n"
    "#define __INT64_TYPE__ long\n"
    "#define __UINT8_TYPE__ unsigned char\n"
    "#define __UINT16_TYPE__ unsigned short\n"
    "#define __UINT32_TYPE__ unsigned int\n"
    "#define __UINT64_TYPE__ unsigned long\n"
    "#define __INT_LEAST8_TYPE__ signed char\n"
    "#define __INT_LEAST16_TYPE__ short\n"
    "#define __INT_LEAST32_TYPE__ int\n"
    "#define __INT_LEAST64_TYPE__ long\n"
    "#define __UINT_LEAST8_TYPE__ unsigned char\n"
    "#define __UINT_LEAST16_TYPE__ unsigned short\n"
    "#define __UINT_LEAST32_TYPE__ unsigned int\n"
    "#define __UINT_LEAST64_TYPE__ unsigned long\n"
    "#define __INTMAX_TYPE__ long\n"
    "#define __UINTMAX_TYPE__ unsigned long\n"
    "#define __CHAR16_TYPE__ unsigned short\n"
    "#define __CHAR32_TYPE__ unsigned int\n"
    "#define __SIZE_MAX__ 18446744073709551615UL\n"
    "#define __INTMAX_MAX__ 9223372036854775807L\n"
    "#define __WCHAR_MAX__ 2147483647\n"
    "#define __ORDER_LITTLE_ENDIAN__ 1234\n"
    "#define __ORDER_BIG_ENDIAN__ 4321\n"
    "#define __BYTE_ORDER__ 1234\n";

/* ---- all tokens of the program ---- */

static void define_predefined(void)
{
    Token token;
    name_defined = intern_text("defined");
    name_va_args = intern_text("__VA_ARGS__");
    name_va_opt = intern_text("__VA_OPT__");
    name_pragma = intern_text("_Pragma");
    memset(&reader, 0, sizeof reader);
    reader.at = reader.start = predefined;
    reader.line_starts = 1;
    plain_token(&token);
    define_special("__LINE__", MACRO_LINE);
    define_special("__FILE__", MACRO_FILE);
    define_special("__COUNTER__", MACRO_COUNTER);
    define_special("__BASE_FILE__", MACRO_BASE_FILE);
    define_special("__INCLUDE_LEVEL__", MACRO_LEVEL);
    define_special("__has_include", MACRO_QUESTION);
    define_special("__has_include_next", MACRO_QUESTION);
    define_special("__has_attribute", MACRO_QUESTION);
    define_special("__has_builtin", MACRO_QUESTION);
}

/* _Pragma("..."): what the string says, without what it quotes, is a line behind #pragma. */
static void unquoted_pragma(const Token *string)
{
    const char *from;
    u32 length = spelling(string, &from), i;
    char *text = keep((u64)length + 2), *to = text;
    Reader saved = reader;
    u8 saved_directive = in_directive;
    for (i = 1; i + 1 < length; i++) {
        if (from[i] == '\\' && (from[i + 1] == '"' || from[i + 1] == '\\')) i++;
        *to++ = from[i];
    }
    *to = '\n';
    memset(&reader, 0, sizeof reader);
    reader.at = reader.start = text;
    reader.position = string->position;
    in_directive = 1;
    pragma_directive(string->position);
    in_directive = saved_directive;
    reader = saved;
}

static void carry_out_pragma(void)
{
    Token opening, string, closing;
    token_count--;
    expanded_token(&opening);
    expanded_token(&string);
    expanded_token(&closing);
    if (opening.kind != '(' || string.kind != T_STRING || closing.kind != ')')
        error(opening.position, "_Pragma is followed by a string in parentheses");
    else if (*string.u.spelling == '"') unquoted_pragma(&string);
}

/* Adds what the reader gives, up to its end, to the tokens. */
static void gather_tokens(void)
{
    Token *token;
    do {
        if (token_count >= MAX_TOKENS) fatal(tokens[token_count - 1].position, "the program is too long");
        token = &tokens[token_count++];
        expanded_token(token);
        if (token->kind == T_NAME && token->u.name->keyword) token->kind = token->u.name->keyword;
        if (token->kind == T_NAME && token->u.name == name_pragma) carry_out_pragma();
    } while (token_count == 0 || tokens[token_count - 1].kind != T_END);
    if (condition_count) error(conditions[condition_count - 1].position, "this conditional has no #endif");
}

static void preprocess(File *entry)
{
    if (token_count) token_count--; /* the end of the file before */
    base_file = entry;
    enter_file(entry);
    gather_tokens();
}

static void preprocess_supplied(const char *path)
{
    File *file = file_named(path, (u32)strlen(path));
    if (file) preprocess(file);
}
