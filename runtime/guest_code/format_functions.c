/* sprintf and snprintf (C11 7.21.6.5) without floating point and `%n`, as guest code.
 *
 * Direct calls of our compiler's are calls of __salix_format, which say how many words there are and where. Who calls
 * one of the two through a pointer passes up to five words in r1 to r5; of more, four, and in r5 the address of the
 * others (docs/compiler.md). How many there are, only the format says then: it is read twice, first to count them.
 * All lie in a section of their own, with what they share. What is no conversion is copied as it stands.
 */
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long u64;
typedef long i64;

#define INLINE static inline __attribute__((always_inline))
#define FUNCTION __attribute__((noinline, minsize, section(".text.snprintf")))

enum { LEFT = 1, PLUS = 2, BLANK = 4, OTHER_FORM = 8, ZEROS = 16 };
enum { NONE = -1, FROM_WORD = -2 };

/* What stands between `%` and the letter, and the letter; `length`: bytes of an integer. */
struct conversion {
    u32 flags;
    int width, precision;
    int length;
    char letter;
};

/* What a conversion makes: `prefix`, then `zeros` times 0, then `text`. */
struct piece {
    char prefix[3], digits[24];
    const char *text;
    i64 length, zeros;
};

/* The words behind the format: `direct` of them, then those that `others` points to, if there are any. */
struct words {
    const u64 *given, *others;
    u64 direct, used;
};

/* Where text goes: `length` characters so far, of which the first `room` are kept. */
struct out {
    char *to;
    u64 room, length;
};

INLINE int is_digit(char c) { return c >= '0' && c <= '9'; }

INLINE int flag_of(char c) {
    return c == '-' ? LEFT : c == '+' ? PLUS : c == ' ' ? BLANK : c == '#' ? OTHER_FORM : c == '0' ? ZEROS : 0;
}

/* A number, `*`, or nothing, which is `missing`. */
INLINE const char *read_number(const char *at, int *number, int missing) {
    *number = missing;
    if (*at == '*') {
        *number = FROM_WORD;
        return at + 1;
    }
    for (int value = 0; is_digit(*at); at++)
        *number = value = value < 100000 ? value * 10 + (*at - '0') : value;
    return at;
}

/* Reads the conversion behind a `%`; the end of it. */
INLINE const char *read_conversion(const char *at, struct conversion *it) {
    it->flags = 0;
    it->length = 4;
    for (; flag_of(*at); at++)
        it->flags |= flag_of(*at);
    at = read_number(at, &it->width, 0);
    it->precision = NONE;
    if (*at == '.')
        at = read_number(at + 1, &it->precision, 0);
    for (;; at++) {
        if (*at == 'h')
            it->length = it->length == 2 ? 1 : 2;
        else if (*at == 'l' || *at == 'z' || *at == 'j' || *at == 't' || *at == 'q')
            it->length = 8;
        else
            break;
    }
    it->letter = *at;
    return *at ? at + 1 : at;
}

INLINE int takes_word(char letter) {
    return letter == 'd' || letter == 'i' || letter == 'u' || letter == 'x' || letter == 'X' || letter == 'o' ||
           letter == 'c' || letter == 's' || letter == 'p';
}

INLINE u64 count_words(const char *format) {
    u64 count = 0;
    while (*format) {
        struct conversion it;
        if (*format++ != '%')
            continue;
        format = read_conversion(format, &it);
        count += (it.width == FROM_WORD) + (it.precision == FROM_WORD) + takes_word(it.letter);
    }
    return count;
}

INLINE u64 next_word(struct words *words) {
    u64 index = words->used++;
    if (index < words->direct)
        return words->given[index];
    return words->others ? words->others[index - words->direct] : 0;
}

INLINE void put(struct out *out, char c) {
    if (out->length < out->room)
        out->to[out->length] = c;
    out->length++;
}

INLINE void put_many(struct out *out, char c, i64 count) {
    for (; count > 0; count--)
        put(out, c);
}

/* The piece, at least `width` characters. */
INLINE void put_padded(struct out *out, const struct conversion *it, const struct piece *piece) {
    i64 before = 0, zeros = piece->zeros, blanks;
    while (piece->prefix[before])
        before++;
    blanks = it->width - before - zeros - piece->length;
    if (it->flags & ZEROS && blanks > 0) {
        zeros += blanks;
        blanks = 0;
    }
    if (!(it->flags & LEFT))
        put_many(out, ' ', blanks);
    for (i64 i = 0; i < before; i++)
        put(out, piece->prefix[i]);
    put_many(out, '0', zeros);
    for (i64 i = 0; i < piece->length; i++)
        put(out, piece->text[i]);
    if (it->flags & LEFT)
        put_many(out, ' ', blanks);
}

INLINE void make_text(struct piece *piece, const struct conversion *it, const char *text) {
    if (!text) {
        *(u64 *)piece->digits = 0x296c6c756e28; /* (null) */
        text = piece->digits;
    }
    while ((it->precision < 0 || piece->length < it->precision) && text[piece->length])
        piece->length++;
    piece->text = text;
}

INLINE void make_number(struct piece *piece, struct conversion *it, u64 word) {
    char *end = piece->digits + 24, *start = end, letter = it->letter;
    u32 base = letter == 'o' ? 8 : letter == 'x' || letter == 'X' || letter == 'p' ? 16 : 10, used = 0;
    int is_signed = letter == 'd' || letter == 'i', above = 64 - 8 * (letter == 'p' ? 8 : it->length);
    u64 value = is_signed ? (u64)((i64)(word << above) >> above) : word << above >> above, rest;
    if (is_signed && (i64)value < 0) {
        value = -value;
        piece->prefix[used++] = '-';
    } else if (is_signed && it->flags & (PLUS | BLANK)) {
        piece->prefix[used++] = it->flags & PLUS ? '+' : ' ';
    } else if (letter == 'p' || (base == 16 && it->flags & OTHER_FORM && value)) {
        piece->prefix[used++] = '0';
        piece->prefix[used++] = letter == 'X' ? 'X' : 'x';
    }
    piece->prefix[used] = 0;
    for (rest = value; rest; rest /= base) {
        u32 digit = rest % base;
        *--start = digit < 10 ? '0' + digit : (letter == 'X' ? 'A' : 'a') + digit - 10;
    }
    if (!value && it->precision != 0)
        *--start = '0';
    if (base == 8 && it->flags & OTHER_FORM && (start == end || *start != '0'))
        *--start = '0';
    if (it->precision >= 0)
        it->flags &= ~ZEROS;
    piece->text = start;
    piece->length = end - start;
    piece->zeros = it->precision > piece->length ? it->precision - piece->length : 0;
}

/* C11 7.21.6.1. Leaves the number of characters in `out`, whether there is room for them or not. */
INLINE void format_text(struct out *out, const char *format, struct words *words) {
    while (*format) {
        struct conversion it;
        struct piece piece;
        piece.text = format;
        if (*format++ != '%') {
            put(out, *piece.text);
            continue;
        }
        piece.length = piece.zeros = 0;
        piece.prefix[0] = 0;
        format = read_conversion(format, &it);
        if (it.width == FROM_WORD)
            it.width = (int)next_word(words);
        if (it.width < 0) {
            it.flags |= LEFT;
            it.width = -it.width;
        }
        if (it.precision == FROM_WORD)
            it.precision = (int)next_word(words);
        if (it.flags & LEFT)
            it.flags &= ~ZEROS;
        if (it.letter == 's') {
            it.flags &= ~ZEROS;
            make_text(&piece, &it, (const char *)next_word(words));
        } else if (it.letter == 'c') {
            it.flags &= ~ZEROS;
            piece.digits[0] = (char)next_word(words);
            piece.text = piece.digits;
            piece.length = 1;
        } else if (takes_word(it.letter)) {
            make_number(&piece, &it, next_word(words));
        } else {
            it.width = 0;
            piece.length = it.letter == '%' ? 1 : format - piece.text;
        }
        put_padded(out, &it, &piece);
    }
}

/* The text in at most `room` bytes, with its NUL, if there is room for one; its whole length. */
FUNCTION static int format_into(char *to, u64 room, const char *format, struct words *words) {
    struct out out = {to, room ? room - 1 : 0, 0};
    format_text(&out, format, words);
    if (room)
        to[out.length < out.room ? out.length : out.room] = 0;
    return (int)out.length;
}

FUNCTION int __salix_format(char *to, u64 room, const char *format, u64 count, const u64 *given) {
    struct words words = {given, 0, count, 0};
    return format_into(to, room, format, &words);
}

/* Of the words that were passed in registers, the last is the address of others if the format takes more. */
INLINE void find_others(struct words *words, const char *format) {
    if (count_words(format) > words->direct)
        words->others = (const u64 *)words->given[--words->direct];
}

FUNCTION int snprintf(char *to, u64 room, const char *format, u64 first, u64 second) {
    u64 given[2] = {first, second};
    struct words words = {given, 0, 2, 0};
    find_others(&words, format);
    return format_into(to, room, format, &words);
}

FUNCTION int sprintf(char *to, const char *format, u64 first, u64 second, u64 third) {
    u64 given[3] = {first, second, third};
    struct words words = {given, 0, 3, 0};
    find_others(&words, format);
    return format_into(to, ~0UL, format, &words);
}
