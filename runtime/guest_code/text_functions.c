/* Functions on texts, characters and numbers that C programs take for granted, as guest code.
 *
 * Each lies in a section of its own and calls no other: a program that uses one is linked with that one only. No data.
 * They do what C11 7.22 to 7.24 say, in the "C" locale, where characters above 127 are nothing in particular; what has
 * to keep something from call to call (strtok, rand) or calls the program back (qsort) cannot be here.
 *
 * Compiled with -ffreestanding, without which clang would turn the loops into calls to these very functions.
 */
typedef unsigned char u8;
typedef unsigned long u64;
typedef long i64;

#define INLINE static inline __attribute__((always_inline))
#define FUNCTION(name) __attribute__((section(".text." #name)))
#define SAME(name) __attribute__((alias(#name))) /* long long is long */

/* ---- characters ---- */

INLINE int between(int c, int first, int last) { return c >= first && c <= last; }
INLINE int is_upper(int c) { return between(c, 'A', 'Z'); }
INLINE int is_lower(int c) { return between(c, 'a', 'z'); }
INLINE int is_digit(int c) { return between(c, '0', '9'); }
INLINE int is_letter(int c) { return between(c | 32, 'a', 'z'); }
INLINE int is_space(int c) { return c == ' ' || between(c, '\t', '\r'); }
INLINE int lower(int c) { return is_upper(c) ? c + 32 : c; }

FUNCTION(isalnum) int isalnum(int c) { return is_letter(c) || is_digit(c); }
FUNCTION(isalpha) int isalpha(int c) { return is_letter(c); }
FUNCTION(isblank) int isblank(int c) { return c == ' ' || c == '\t'; }
FUNCTION(iscntrl) int iscntrl(int c) { return between(c, 0, 31) || c == 127; }
FUNCTION(isdigit) int isdigit(int c) { return is_digit(c); }
FUNCTION(isgraph) int isgraph(int c) { return between(c, 33, 126); }
FUNCTION(islower) int islower(int c) { return is_lower(c); }
FUNCTION(isprint) int isprint(int c) { return between(c, 32, 126); }
FUNCTION(ispunct) int ispunct(int c) { return between(c, 33, 126) && !is_letter(c) && !is_digit(c); }
FUNCTION(isspace) int isspace(int c) { return is_space(c); }
FUNCTION(isupper) int isupper(int c) { return is_upper(c); }
FUNCTION(isxdigit) int isxdigit(int c) { return is_digit(c) || between(c | 32, 'a', 'f'); }
FUNCTION(tolower) int tolower(int c) { return lower(c); }
FUNCTION(toupper) int toupper(int c) { return is_lower(c) ? c - 32 : c; }

/* ---- comparing ---- */

FUNCTION(strcmp) int strcmp(const char *a, const char *b) {
    for (; *a && *a == *b; a++, b++) {
    }
    return (u8)*a - (u8)*b;
}

FUNCTION(strncmp) int strncmp(const char *a, const char *b, u64 length) {
    for (; length > 0; a++, b++, length--) {
        if (*a != *b || !*a)
            return (u8)*a - (u8)*b;
    }
    return 0;
}

FUNCTION(strcasecmp) int strcasecmp(const char *a, const char *b) {
    for (; *a && lower((u8)*a) == lower((u8)*b); a++, b++) {
    }
    return lower((u8)*a) - lower((u8)*b);
}

FUNCTION(strncasecmp) int strncasecmp(const char *a, const char *b, u64 length) {
    for (; length > 0; a++, b++, length--) {
        if (lower((u8)*a) != lower((u8)*b) || !*a)
            return lower((u8)*a) - lower((u8)*b);
    }
    return 0;
}

/* ---- copying ---- */

/* The end of what was copied: where its NUL is. */
INLINE char *copy_text(char *to, const char *from) {
    while ((*to = *from)) {
        to++;
        from++;
    }
    return to;
}

/* The first of `length` bytes that is no copy; the rest is filled with NULs. */
INLINE char *copy_filled(char *to, const char *from, u64 length) {
    u64 copied = 0;
    for (; copied < length && from[copied]; copied++)
        to[copied] = from[copied];
    for (u64 i = copied; i < length; i++)
        to[i] = 0;
    return to + copied;
}

INLINE char *end_of(char *text) {
    while (*text)
        text++;
    return text;
}

FUNCTION(strcpy) char *strcpy(char *to, const char *from) {
    copy_text(to, from);
    return to;
}

FUNCTION(stpcpy) char *stpcpy(char *to, const char *from) { return copy_text(to, from); }

FUNCTION(strncpy) char *strncpy(char *to, const char *from, u64 length) {
    copy_filled(to, from, length);
    return to;
}

FUNCTION(stpncpy) char *stpncpy(char *to, const char *from, u64 length) { return copy_filled(to, from, length); }

FUNCTION(strcat) char *strcat(char *to, const char *from) {
    copy_text(end_of(to), from);
    return to;
}

FUNCTION(strncat) char *strncat(char *to, const char *from, u64 length) {
    char *at = end_of(to);
    for (; length > 0 && *from; length--)
        *at++ = *from++;
    *at = 0;
    return to;
}

FUNCTION(mempcpy) void *mempcpy(void *to, const void *from, u64 length) {
    u8 *at = to;
    const u8 *source = from;
    for (; length >= 8; at += 8, source += 8, length -= 8)
        *(u64 *)at = *(const u64 *)source;
    for (; length > 0; length--)
        *at++ = *source++;
    return at;
}

FUNCTION(bcopy) void bcopy(const void *from, void *to, u64 length) {
    const u8 *source = from;
    u8 *at = to;
    if ((u64)to - (u64)from >= length) { /* `to` is not inside [from, from + length) */
        for (u64 i = 0; i < length; i++)
            at[i] = source[i];
    } else {
        while (length-- > 0)
            at[length] = source[length];
    }
}

FUNCTION(bzero) void bzero(void *to, u64 length) {
    u8 *at = to;
    while (length-- > 0)
        *at++ = 0;
}

/* ---- finding ---- */

FUNCTION(strchr) char *strchr(const char *text, int c) {
    for (; *text != (char)c; text++) {
        if (!*text)
            return 0;
    }
    return (char *)text;
}

FUNCTION(strrchr) char *strrchr(const char *text, int c) {
    const char *found = 0;
    for (;; text++) {
        if (*text == (char)c)
            found = text;
        if (!*text)
            return (char *)found;
    }
}

FUNCTION(memchr) void *memchr(const void *bytes, int c, u64 length) {
    for (const u8 *at = bytes; length > 0; at++, length--) {
        if (*at == (u8)c)
            return (void *)at;
    }
    return 0;
}

FUNCTION(memrchr) void *memrchr(const void *bytes, int c, u64 length) {
    const u8 *at = bytes;
    while (length-- > 0) {
        if (at[length] == (u8)c)
            return (void *)(at + length);
    }
    return 0;
}

FUNCTION(strnlen) u64 strnlen(const char *text, u64 most) {
    u64 length = 0;
    while (length < most && text[length])
        length++;
    return length;
}

FUNCTION(strstr) char *strstr(const char *text, const char *wanted) {
    for (;; text++) {
        u64 i = 0;
        while (wanted[i] && text[i] == wanted[i])
            i++;
        if (!wanted[i])
            return (char *)text;
        if (!*text)
            return 0;
    }
}

/* Whether `c`, which is no NUL, is one of the characters of `set`. */
INLINE int is_one_of(char c, const char *set) {
    while (*set && *set != c)
        set++;
    return *set != 0;
}

FUNCTION(strspn) u64 strspn(const char *text, const char *set) {
    u64 length = 0;
    while (text[length] && is_one_of(text[length], set))
        length++;
    return length;
}

FUNCTION(strcspn) u64 strcspn(const char *text, const char *set) {
    u64 length = 0;
    while (text[length] && !is_one_of(text[length], set))
        length++;
    return length;
}

FUNCTION(strpbrk) char *strpbrk(const char *text, const char *set) {
    for (; *text; text++) {
        if (is_one_of(*text, set))
            return (char *)text;
    }
    return 0;
}

FUNCTION(strtok_r) char *strtok_r(char *text, const char *separators, char **rest) {
    char *at = text ? text : *rest, *token;
    while (*at && is_one_of(*at, separators))
        at++;
    token = at;
    while (*at && !is_one_of(*at, separators))
        at++;
    *rest = *at ? at + 1 : at;
    if (!*token)
        return 0;
    *at = 0;
    return token;
}

/* ---- numbers ---- */

FUNCTION(abs) int abs(int x) { return x < 0 ? -x : x; }
FUNCTION(labs) i64 labs(i64 x) { return x < 0 ? -x : x; }
SAME(labs) i64 llabs(i64 x);

FUNCTION(ffs) int ffs(int x) {
    for (int i = 0; i < 32; i++) {
        if ((unsigned)x >> i & 1)
            return i + 1;
    }
    return 0;
}

INLINE int digit_of(int c) { return is_digit(c) ? c - '0' : is_letter(c) ? (c | 32) - 'a' + 10 : 99; }

/* The number at the start of `text` as sign and magnitude; magnitudes of more than 64 bits are the greatest one. */
INLINE u64 parse(const char *text, char **end, int base, int *negative) {
    const char *at = text, *digits;
    u64 value = 0;
    int overflow = 0;
    while (is_space((u8)*at))
        at++;
    *negative = *at == '-';
    if (*at == '-' || *at == '+')
        at++;
    if ((base == 0 || base == 16) && at[0] == '0' && (at[1] | 32) == 'x' && digit_of((u8)at[2]) < 16) {
        at += 2;
        base = 16;
    }
    if (base == 0)
        base = *at == '0' ? 8 : 10;
    for (digits = at; digit_of((u8)*at) < base; at++) {
        u64 digit = digit_of((u8)*at);
        overflow |= value > (~0UL - digit) / base;
        value = value * base + digit;
    }
    if (end)
        *end = (char *)(at == digits ? text : at);
    return overflow ? ~0UL : value;
}

/* The nearest number that a long holds. */
INLINE i64 parse_signed(const char *text, char **end, int base) {
    int negative;
    u64 value = parse(text, end, base, &negative), most = 0x7fffffffffffffffUL + negative;
    if (value > most)
        value = most;
    return negative ? -value : value;
}

INLINE u64 parse_unsigned(const char *text, char **end, int base) {
    int negative;
    u64 value = parse(text, end, base, &negative);
    return negative && value != ~0UL ? -value : value;
}

FUNCTION(strtol) i64 strtol(const char *text, char **end, int base) { return parse_signed(text, end, base); }
SAME(strtol) i64 strtoll(const char *text, char **end, int base);
FUNCTION(strtoul) u64 strtoul(const char *text, char **end, int base) { return parse_unsigned(text, end, base); }
SAME(strtoul) u64 strtoull(const char *text, char **end, int base);
FUNCTION(atoi) int atoi(const char *text) { return (int)parse_signed(text, 0, 10); }
FUNCTION(atol) i64 atol(const char *text) { return parse_signed(text, 0, 10); }
SAME(atol) i64 atoll(const char *text);
