"""Programs of the corpus with a few tokens changed: almost C, so that it comes far into the compiler."""

from __future__ import annotations

import re
from random import Random

from tests.salix.corpus import RETURNS, those_that
from tests.salix.hostile_c.kinds import MAIN, Files

_TOKEN = re.compile(
    r"\s+|//[^\n]*|/\*.*?\*/|\w+|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|[-+*/%&|^<>=!#]{1,3}|.", re.S
)
_POOL = (
    "0", "1", "-1", "2147483647", "0x80000000", "18446744073709551615ull", "1ull << 63", "int", "char", "long",
    "void", "unsigned", "_Bool", "struct", "union", "enum", "const", "static", "extern", "typedef", "return", "if",
    "else", "for", "while", "do", "switch", "case", "default:", "break;", "continue;", "goto x;", "x:", "sizeof",
    "_Generic", "(", ")", "{", "}", "[", "]", ";", ",", ".", "->", "*", "&", "+", "-", "/", "%", "<<", ">>", "<",
    "==", "?", ":", "=", "+=", "++", "!", "~", "&&", "||", "...", "#", "##", "\n#define x ", "\n#if 1\n",
    "\n#endif\n", '\n#include "main.c"\n', '"s"', "'c'", "({ 1; })", "(int[]){1}", "{[3] = 1}", ".x = 1",
    "[0 ... 5] = 1", "__VA_ARGS__", "x", "main", "float", "(*x)()", "[]", "0.5", 'asm("")', "__attribute__((packed))",
    '_Static_assert(0, "");', "int x : 3;", "[-1]", "[0]", "(void)0", "&&x",
)  # fmt: skip


_ALIKE = (
    ("+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "&&", "||", "==", "!=", "<", "<=", ">", ">=", ",", "="),
    ("+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^=", "="),
    ("int", "char", "short", "long", "unsigned", "signed", "_Bool", "void", "struct s", "enum e", "typeof(x)"),
    ("if", "while", "for", "switch", "return", "goto", "case", "do", "else", "sizeof"),
    ("const", "static", "extern", "volatile", "register", "inline", "typedef", "union", "struct", "enum"),
    ("++", "--", "!", "~", "-", "+", "*", "&", "sizeof "),
    ("break", "continue", "return"),
)
_NUMBERS = ("0", "1", "2", "-1", "63", "64", "255", "4096", "2147483648", "0xffffffff", "1ll << 40", "~0ull", "'a'")


def mutated(random: Random) -> Files:
    """A program of one file, with one to four changes; half of them put a token of the same sort there."""
    tokens = _tokens(random)
    for _ in range(random.randrange(1, 5)):
        if not tokens:
            break
        if random.randrange(2):
            at = random.randrange(len(tokens))
            tokens[at] = _alike(random, tokens, tokens[at])
        else:
            _change(random, tokens)
    return {MAIN: "".join(tokens).encode()[:120_000]}


def _alike(random: Random, tokens: list[str], token: str) -> str:
    for sort in _ALIKE:
        if token in sort:
            return random.choice(sort)
    if token[0].isdigit():
        return random.choice(_NUMBERS)
    if token[0].isalpha():
        return random.choice([other for other in tokens if other[0].isalpha()])
    return token


def _change(random: Random, tokens: list[str]) -> None:
    at, other = random.randrange(len(tokens)), random.randrange(len(tokens))
    end = min(len(tokens), at + random.choice((1, 1, 1, 3, 10, 40)))
    match random.randrange(9):
        case 0:
            del tokens[at:end]
        case 1:
            tokens[at:at] = tokens[at:end] * random.choice((1, 1, 2, 50))
        case 2:
            tokens[at], tokens[other] = tokens[other], tokens[at]
        case 3 | 4:
            tokens[at] = random.choice(_POOL)
        case 5:
            tokens.insert(at, f" {random.choice(_POOL)} ")
        case 6:
            tokens[other:other] = tokens[at:end]
        case 7:
            theirs = _tokens(random)
            start = random.randrange(len(theirs))
            tokens[at:end] = theirs[start : start + random.choice((1, 5, 30))]
        case _:
            del tokens[random.randrange(len(tokens)) :]


def _tokens(random: Random) -> list[str]:
    program = random.choice(those_that(RETURNS))
    return _TOKEN.findall(program.path.read_text(errors="replace"))
