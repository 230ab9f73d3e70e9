"""Kinds of hostile sources: each a function of a random number generator that gives the files of a build.

What is deep, long, many or without an end is drawn around the compiler's own limits and far beyond them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

Files = Mapping[str, bytes]
Kind = Callable[[Random], Files]
MAIN = "main.c"
_MOST_BYTES = 120_000  # of a source: a build may have 128 KiB


def _files(text: str | bytes, **headers: str) -> Files:
    source = text.encode() if isinstance(text, str) else text
    return {MAIN: source[:_MOST_BYTES]} | {f"{name}.h": header.encode() for name, header in headers.items()}


def _count(random: Random) -> int:
    return random.choice((3, 30, 100, 161, 300, 1000, 1025, 5000, 20_000, 60_000))


def _program(body: str, before: str = "") -> Files:
    return _files(f"{before}\nint main(void) {{ int x = 1, *p = &x; {body} return x; }}\n")


# ---------------------------------------------------------------- deep

_NESTS = (
    ("x = ", "(", "1", ")", ";"),
    ("", "{", "x++;", "}", ""),
    ("", "if (x) ", "x++;", "", ""),
    ("", "if (x) {} else ", "x++;", "", ""),
    ("", "while (x) ", "break;", "", ""),
    ("", "for (;;) ", "break;", "", ""),
    ("", "do ", "x++;", " while (0);", ""),
    ("", "switch (x) case 1: ", "x++;", "", ""),
    ("", "switch (x) { case 1: ", "x++;", "}", ""),
    ("x = ", "-", "x", "", ";"),
    ("x = ", "!", "x", "", ";"),
    ("x = ", "~", "x", "", ";"),
    ("x = ", "(int)", "x", "", ";"),
    ("x = ", "sizeof ", "x", "", ";"),
    ("x = ", "sizeof(", "x", ")", ";"),
    ("x = ", "x ? x : ", "x", "", ";"),
    ("x = ", "x ? ", "x", " : x", ";"),
    ("x = ", "x + (", "x", ")", ";"),
    ("x = ", "x * (x - ", "x", ")", ";"),
    ("x = ", "x + ", "x", "", ";"),
    ("x = ", "x && ", "x", "", ";"),
    ("x = ", "(x, ", "x", ")", ";"),
    ("", "x = ", "1", "", ";"),
    ("x = ", "p[", "0", "]", ";"),
    ("x = ", "f(", "1", ")", ";"),
    ("x = ", "*&", "x", "", ";"),
    ("int ", "*", "q", "", ";"),
    ("int ", "(", "q", ")", ";"),
    ("int q", "[1]", "", "", ";"),
    ("int ", "(*", "q", ")(void)", ";"),
    ("int ", "(*", "q", ")[1]", ";"),
    ("int q[1] = ", "{", "1", "}", ";"),
    ("", "struct { ", "int a;", " } m;", ""),
    ("", "union { ", "int a;", " } m;", ""),
    ("", "struct { ", "int a;", " };", ""),
    ("x = ", "({ ", "1;", " });", ""),
    ("x = ", "_Generic(1, int: ", "1", ")", ";"),
    ("x = ", "(typeof(", "int", "))x", ";"),
    ("x = ", "((int){", "1", "})", ";"),
    ("x = ", "__builtin_expect(", "1", ", 1)", ";"),
    ("int q = ", "_Alignof(struct { ", "int a;", " } )", ";"),
    ("enum { A = ", "1 + (", "1", ")", "};"),
    ("", "L: ", "x++;", "", ""),
    ("", "else ", "", "", ""),
)


def deep(random: Random) -> Files:
    """One thing within itself, closed or not."""
    before, opening, middle, closing, after = random.choice(_NESTS)
    count = min(_count(random), 100_000 // (len(opening + closing) or 1))
    closed = random.choice((count, count, count, 0, count - 1, count + 1))
    return _program(f"{before}{opening * count}{middle}{closing * closed}{after}", "static int f(int a) { return a; }")


def deep_mixture(random: Random) -> Files:
    """Several things within each other."""
    chosen = [each for each in _NESTS if each[0] == "x = " or not each[0]]
    opened, closed = list[str](), list[str]()
    for _ in range(min(_count(random), 3000)):
        before, opening, _, closing, after = random.choice(chosen)
        opened.append(before + opening if len(opened) % 7 == 0 else opening)
        closed.append(closing + (after if len(opened) % 7 == 1 else ""))
    return _program("".join(opened) + "x" + "".join(reversed(closed)) + ";")


def deep_preprocessing(random: Random) -> Files:
    """Conditionals, expressions of conditionals, calls of macros, nested."""
    count = _count(random)
    match random.randrange(4):
        case 0:
            return _files(
                "#if 1\n" * count + "int main(void) { return 0; }\n" + "#endif\n" * random.choice((count, 0, 2))
            )
        case 1:
            return _files(f"#if {'(' * count}1{')' * count}\n#endif\nint main(void) {{ return 0; }}\n")
        case 2:
            return _files(f"#define F(x) x\nint main(void) {{ return {'F(' * count}0{')' * count}; }}\n")
        case _:
            return _files(f"#if {random.choice('!-~+') * count}1\n#endif\n#if {'1?' * count}1{':1' * count}\n#endif\n")


# ---------------------------------------------------------------- bombs


def macro_bomb(random: Random) -> Files:
    """A few lines that expand to more than there is memory."""
    levels, width = random.choice((10, 20, 30, 64)), random.choice((2, 3, 10))
    kind = random.randrange(6)
    lines = []
    for level in range(levels):
        repeated = " ".join([f"M{level + 1}"] * width)
        match kind:
            case 0:
                lines.append(f"#define M{level} {repeated}")
            case 1:
                lines.append(f"#define M{level}(x) {' '.join([f'M{level + 1}(x x)'] * width)}")
            case 2:
                lines.append(
                    f"#define M{level}(x) M{level + 1}(x, x)"
                    if width == 2
                    else f"#define M{level}(...) M{level + 1}(__VA_ARGS__, __VA_ARGS__)"
                )
            case 3:
                lines.append(f"#define M{level}(x) M{level + 1}(x ## x)")
            case 4:
                lines.append(f"#define S{level}(x) #x\n#define M{level}(x) M{level + 1}(S{level}(x) S{level}(x x))")
            case _:
                lines.append(f"#define M{level} M{(level + 1) % levels} + M{(level * 7 + 3) % levels}")
    call = "M0" if kind in (0, 5) else "M0(a)"
    lines.append(f"#define M{levels} 1" if kind in (0, 5) else f"#define M{levels}(...) __VA_ARGS__")
    use = random.choice(
        (f"int main(void) {{ return {call}; }}", f"#if {call}\n#endif", f"#include {call}", f"#line {call}")
    )
    return _files("\n".join([*lines, use, ""]))


def many_macro_arguments(random: Random) -> Files:
    """Macros with too many parameters or arguments, or arguments without an end."""
    count = _count(random)
    match random.randrange(5):
        case 0:
            return _files(
                f"#define F({', '.join(f'a{i}' for i in range(count // 8))}) 1\nint x = F({',' * (count // 8)});\n"
            )
        case 1:
            return _files(
                f"#define F(...) __VA_ARGS__\nint x[] = {{F({'1,' * count}1)}};\nint main(void) {{ return 0; }}\n"
            )
        case 2:
            return _files(f"#define F(a) a\nint x = F({'(1, ' * count}\n")
        case 3:
            return _files(
                "#define F(a" + "\n".join(["#define G(b) b", "int x = F(1)", "G(", "#define F(a, a, ...) a", ""])
            )
        case _:
            return _files("#define F(x) #x\nconst char *s = F(" + "'\"\\ \n" * count + ");\n")


def huge_objects(random: Random) -> Files:
    """Arrays, structs, ranges and strings of sizes that overflow something."""
    size = random.choice(
        (
            "1000000",
            "0x7fffffff",
            "0x80000000",
            "0xffffffff",
            "1ull << 32",
            "1ull << 61",
            "1ull << 63",
            "~0ull",
            "4097",
            "65536",
        )
    )
    return _files(
        random.choice(
            (
                f"int a[{size}] = {{[({size}) - 1] = 1}};",
                f"int a[{size}];",
                f"int a[] = {{[0 ... ({size}) - 1] = 1}};",
                f"int a[] = {{[{size}] = 1}};",
                f"char a[{size}][{size}];",
                f"struct {{ int a[{size}]; int b[{size}]; }} s;",
                f"struct {{ char a[{size}]; char b; }} s[3] = {{[1] = {{.b = 1}}}};",
                f"int a = sizeof(char[{size}][16]);",
                f"_Alignas({size}) int a;",
                f"enum {{ A = {size}, B, C }}; int a[C - B];",
                f"struct {{ int a : {size}; }} s;",
                f"static int f(int x) {{ switch (x) {{ case 0 ... {size}: return 1; }} return 0; }}",
                f"static int f(int x) {{ int a[{size}]; a[x] = 1; return a[x + 1]; }}",
                f"struct s {{ int a[{size}]; }}; struct s f(struct s x) {{ struct s y = x; return y; }}",
                f"static int f(void) {{ return *(int *){size}; }}",
                f'char *p = (char *){size}; char *q = &"abc"[{size}];',
                f"static long f(long x) {{ return x << ({size}) | x / ({size}) | x % -({size}); }}",
                f"int a = 1 << {size}; int b = -2147483647 - 1 / -1; int c = (-2147483647 - 1) / -1;",
                f"#line {size}\nint a = __LINE__;\n#error here",
            )
        )
        + "\nint main(void) { return 0; }\n"
    )


def long_lists(random: Random) -> Files:
    """Very many of something."""
    count = min(_count(random), 20_000)
    numbers = range(count)
    return _files(
        random.choice(
            (
                lambda: f"int a[] = {{{','.join(map(str, numbers))}}};",
                lambda: "".join(f"int a{i};" for i in numbers),
                lambda: "".join(f"int f{i}(void){{return {i};}}" for i in range(count // 3)),
                lambda: "".join(f"#define A{i} {i}\n" for i in range(count // 2)),
                lambda: "#if 0\n" + "#elif 0\n" * count + "#endif",
                lambda: f"enum {{{','.join(f'E{i}' for i in numbers)}}};",
                lambda: f"struct {{{''.join(f'int m{i};' for i in numbers)}}} s;",
                lambda: (
                    f"int f(int x) {{ switch (x) {{ {''.join(f'case {i}:' for i in numbers)} return 1; }} return 0; }}"
                ),
                lambda: (
                    f"int f(int x) {{ {''.join(f'L{i}: if (x) goto L{count - 1 - i};' for i in range(count // 2))} }}"
                ),
                lambda: (
                    f"int f(int x) {{ {''.join(f'if (x == {i}) x++; else ' for i in range(count // 3))} ; return x; }}"
                ),
                lambda: f"int f(int x) {{ return x{' + x' * count}; }}",
                lambda: f"int f(int x) {{ return {'x ^ ' * count} x; }}",
                lambda: f"int f({','.join(f'int a{i}' for i in range(count // 2))}) {{ return a0; }}",
                lambda: f"int f(); int g(void) {{ return f({','.join('1' for _ in numbers)}); }}",
                lambda: "int f(void) { " + "".join(f"int v{i} = {i};" for i in range(count // 3)) + " return v0; }",
                lambda: "int f(int x) { " + "x = x * 3 + 1;" * (count // 2) + " return x; }",
                lambda: "int f(int x) { " + "x += f(x);" * (count // 2) + " return x; }",
                lambda: "const char s[] = " + '"a" ' * count + ";",
                lambda: f'const char s[] = "{"a" * count * 5}";',
                lambda: "int " + ", ".join(f"*a{i}" for i in numbers) + ";",
                lambda: "".join(f'static const char *s{i} = "{i}";' for i in range(count // 3)),
                lambda: "typedef int t0;" + "".join(f"typedef t{i} t{i + 1};" for i in range(count // 3)),
                lambda: "int x" + ";" * count,
                lambda: "extern int y; int x = " + "&y == 0 ? " * 30 + "1" + ": 2" * 30 + ";",
                lambda: "unknown_type a;" * (count // 3),
                lambda: "int f(void) { " + "undeclared();" * (count // 3) + "}",
                lambda: "int f(void) { " + "x y z;" * (count // 3) + "}",
                lambda: "@" * count,
                lambda: "#pragma once\n" * (count // 3),
                lambda: "#error no\n" * (count // 3),
                lambda: '_Static_assert(0, "no");' * (count // 6),
            )
        )()
        + "\nint main(void) { return 0; }\n"
    )


# ---------------------------------------------------------------- files


def includes(random: Random) -> Files:
    """Files that include themselves, each other, what is not there, or each the next."""
    main = "int main(void) { return 0; }\n"
    match random.randrange(8):
        case 0:
            return _files(f'#include "{MAIN}"\n{main}')
        case 1:
            return _files(f'#include "a.h"\n{main}', a='#include "b.h"\n', b='#include "a.h"\n')
        case 2:
            chain = {f"h{i}": f'#include "h{i + 1}.h"\n' for i in range(28)}
            return _files(f'#include "h0.h"\n{main}', **chain, h28="int deep;\n")
        case 3:
            twice = {f"h{i}": f'#include "h{i + 1}.h"\n#include "h{i + 1}.h"\n' for i in range(28)}
            return _files(f'#include "h0.h"\n{main}', **twice, h28="\n")
        case 4:
            odd = (
                "",
                '"',
                '""',
                "<>",
                "<",
                '"..',
                '"../../etc/passwd"',
                "</etc/passwd>",
                '"a.h',
                "<a.h",
                "a.h",
                '"a.h" "b.h"',
                '"\0"',
                '"' + "a/" * 5000 + '"',
            )
            return _files(f"#include {random.choice(odd)}\n{main}", a="")
        case 5:
            return _files(f'#define X "a.h"\n#include X\n{main}', a="#undef X\n#define X X\n#include X\n")
        case 6:
            return _files(f'#include "a.h"\n{main}', a="#if 1\n/* and then nothing")
        case _:
            return _files(f'#if __has_include("a.h"\n#endif\n#if __has_include(\n{main}', a="")


# ---------------------------------------------------------------- text


def unterminated(random: Random) -> Files:
    """What begins and does not end."""
    begun = (
        "/*", "//", '"', "'", "'a", '"a\\', "'\\", "'\\x", '"\\u12', "#", "#define", "#define F(", "#define F(a",
        "#if", "#if (", "#if defined(", "#ifdef", "#include", '#include "', "#line", "#undef", "int main(void) {",
        "int main(", "int a[", "int a[] = {", "struct s {", "enum {", "enum { A =", "int x = (", "int x = sizeof(",
        "_Static_assert(", "_Static_assert(1,", "int main(void) { switch (1) { case", "int main(void) { for (",
        "int main(void) { do", "\\", "int main(void) { return f(", "#define F(x) x\nint y = F(", "#define F(x) #",
        "#define F(x) x ##", "typedef", 'L"', "u8", "int x = 0x", "int x = 08", "int x = 1ulul", "int x = 0b2", "??/",
        "_Pragma(", "__attribute__((", "_Generic(", "int x = {", "int f(int, ", "int f(int a, ...",
        "char c = '\\400';", "char c = '';", "int main(void) { goto", "int main(void) { if (1) else",
        "struct s { int a : ", "int x = 1 ? 2", "({", "int main(void) { return ({",
    )  # fmt: skip
    tail = random.choice(("", "\n", "\\", "\\\n", "\0", "\r", " ", "\n#", "\n#endif"))
    before = random.choice(("", "int a;\n", "#if 1\n", "int f(void) { return 1; }\n", "/* */ "))
    return _files(before + random.choice(begun) + tail)


def odd_bytes(random: Random) -> Files:
    """NUL, bytes that are no UTF-8, byte order marks, strange ends of lines."""
    odd = random.choice(
        (
            b"\0",
            b"\xff",
            b"\xc3",
            b"\xed\xa0\x80",
            b"\xf8\x88",
            b"\xef\xbb\xbf",
            b"\r",
            b"\x0c",
            b"\x1a",
            b"\x7f",
            b"\xe2\x80\xa8",
            b"\xc2\xa0",
            b"`",
            b"@",
            b"\\",
        )
    )
    shape = random.choice(
        (
            b"%sint main(void) { return 0; }\n", b"int main(void) { return 0; }%s", b"int ma%sin(void) { return 0; }\n",
            b'const char *s = "a%sb"; int main(void) { return 0; }\n', b"int main(void) { return '%s'; }\n",
            b"/* %s */ int main(void) { return 0; } // %s\n", b"#define A%s 1\nint main(void) { return 0; }\n",
            b"#define S(x) #x\nconst char *s = S(a %s b); int main(void) { return 0; }\n", b'#include "%s"\n',
            b"int main(void)%s{%sreturn%s0;%s}%s", b"#error %s\n", b'_Static_assert(0, "%s");\n', b"#%s\n",
            b"#if %s\n#endif\n",
        )
    )  # fmt: skip
    return _files(shape.replace(b"%s", odd * random.choice((1, 1, 2, 100))))


def long_tokens(random: Random) -> Files:
    """Names, numbers, strings, comments and lines of a hundred thousand characters."""
    count = random.choice((1000, 4096, 40_000, 100_000))
    return _files(
        random.choice(
            (
                f"int {'a' * count}; int main(void) {{ return {'a' * count}0; }}",
                f"int x = {'1' * count};",
                f"int x = 0x{'f' * count};",
                f"int x = 0{'7' * count};",
                f"int x = 1{'u' * count};",
                f"int x = '{'a' * count}';",
                f'const char *s = "{"a" * count}";',
                f'const char *s = "{chr(92) + "x41" * (count // 4)}";',
                f"/*{'*' * count}*/ int x;",
                f"//{'/' * count}\nint x;",
                f"{' ' * count}int x;",
                "\\\n" * (count // 2) + "int x;",
                f"#define {'A' * count} 1\nint x = {'A' * count};",
                f"#define A(x) #x\nconst char *s = A({'b ' * (count // 2)});",
                f"#{' ' * count}define A",
                f"#error {'e' * count}",
                f"goto {'a' * count};",
                f"struct {'s' * count} {{ int {'m' * (count // 3)}; }};",
                f"{'x' * count}(",
                f"int a; {'+' * count} a;",
                f"int f(void) {{ return undeclared_{'a' * count}; }}",
            )
        )
        + "\n"
    )


def noise(random: Random) -> Files:
    """Bytes, or tokens, without sense."""
    if random.randrange(2):
        return _files(random.randbytes(random.randrange(1, 3000)))
    tokens = (
        "int", "char", "{", "}", "(", ")", "[", "]", ";", ",", "*", "&", "+", "-", "/", "%", "<", ">", "=", "==",
        "!=", "#", "##", "\n", "a", "b", "f", "x", "0", "1", "'c'", '"s"', "struct", "if", "else", "while", "for",
        "return", "case", ":", "?", ".", "->", "...", "typedef", "static", "extern", "sizeof", "enum", "union",
        "switch", "default", "goto",
    )  # fmt: skip
    return _files(" ".join(random.choice(tokens) for _ in range(random.randrange(1, 3000))))


KINDS: Mapping[str, Kind] = {
    kind.__name__.replace("_", " "): kind
    for kind in (
        deep, deep_mixture, deep_preprocessing, macro_bomb, many_macro_arguments, huge_objects, long_lists, includes,
        unterminated, odd_bytes, long_tokens, noise,
    )
}  # fmt: skip
