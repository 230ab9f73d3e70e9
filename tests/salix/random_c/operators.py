"""Programs that try every operator on every pair of integer types, at the edges of both: not random.

Operands come from volatile arrays, so that the machine computes, and again as constants, so that the compiler does;
the results of both are digested. What C leaves undefined is guarded, operand by operand, in the source.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.salix.random_c.integer_types import TYPES, CType, common, constant, promoted, unsigned_of
from tests.salix.random_c.tree import Function, Source, Statement, statement

_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
_OMITTED = 23  # of so many pairs of constants one is tried with each operator: sources have a limit
_MIX = """static void mix(unsigned long long value)
{
    digest = (digest ^ value) * 1099511628211ull;
    digest ^= digest >> 29;
}"""


def pairs() -> list[tuple[CType, CType]]:
    """All pairs of types: a program each."""
    return [(left, right) for left in TYPES for right in TYPES]


def edges(given: CType) -> list[int]:
    """Values at the edges of the type, and of the narrower ones."""
    candidates = {0, 1, 2, 3, 7, 31, 100, given.lowest, given.lowest + 1, given.highest, given.highest - 1}
    candidates |= {-1, -2, -7, 127, 128, 255, 32768, 65535, 1 << 31, (1 << 32) - 1, 1 << 32, 1 << 63}
    return sorted(value for value in candidates if given.lowest <= value <= given.highest)


def operators(left: CType, right: CType) -> Iterator[str]:
    """C expressions over a and b with defined values."""
    both, first = common(left, right), promoted(left)
    wrapped = unsigned_of(both).name
    for sign in "+-*":
        yield f"a {sign} b" if not both.signed else f"({both.name})(({wrapped})a {sign} ({wrapped})b)"
    for sign in "/%":
        guard = f" || (({both.name})a == {constant(both.lowest, both)} && b == -1)" if both.signed else ""
        yield f"(b == 0{guard}) ? 77 : a {sign} b"
    for sign in "&|^":
        yield f"a {sign} b"
    mask = first.bits - 1
    yield f"a >> (b & {mask})"
    yield f"a << (b & {mask})" if not first.signed else f"({first.name})(({unsigned_of(first).name})a << (b & {mask}))"
    yield from (f"a {sign} b" for sign in _COMPARISONS)
    yield "a && b"
    yield "a || b"
    yield "!a"
    yield "~a"
    yield f"-({first.name})(a / 2)"
    yield "a ? a : b"
    yield f"({right.name})a"
    yield f"({left.name})b"
    yield "(a < b ? -1 : a > b)"
    yield "sizeof(a + b) + sizeof(a << b) * 16"
    yield "(unsigned char)(a ^ b) | (unsigned char)~b << 8"


def assignments(left: CType, right: CType) -> Iterator[str]:
    """Statements that change a copy c of a, by b."""
    both = common(left, right)
    for sign in "&|^":
        yield f"c {sign}= b;"
    if not both.signed:
        yield from (f"c {sign}= b;" for sign in "+-*")
    yield "if (b > 0) c /= b;"
    yield "if (b > 0) c %= b;"
    yield f"c >>= b & {left.bits - 1 if left.bits > 1 else 0};"
    if not left.signed and left.bits > 1:
        yield f"c <<= b & {left.bits - 1};"
    if promoted(left) != left or not left.signed:
        yield from ("mix(c++);", "mix(++c);", "mix(c--);", "mix(--c);")


def operator_source(left: CType, right: CType) -> Source:
    """The program for two types."""
    lefts, rights = edges(left), edges(right)
    listed = [", ".join(constant(value, given) for value in edges(given)) for given in (left, right)]
    declarations = (
        "static unsigned long long digest = 14695981039346656037ull;",
        f"static volatile {left.name} lefts[] = {{{listed[0]}}};",
        f"static volatile {right.name} rights[] = {{{listed[1]}}};",
        _MIX,
    )
    tried = [statement(f"mix((unsigned long long)({text}));") for text in operators(left, right)]
    tried += [
        statement(f"{{{{ {left.name} c = a; {text} mix((unsigned long long)c); }}}}")
        for text in assignments(left, right)
    ]
    inner = (statement(f"{left.name} a = lefts[i];"), statement(f"{right.name} b = rights[j];"), *tried)
    loop = Statement((f"for (int j = 0; j < {len(rights)}; j++) {{{{", "}}"), (), (inner,))
    loops = Statement((f"for (int i = 0; i < {len(lefts)}; i++) {{{{", "}}"), (), ((loop,),))
    body = (loops, *_folded(left, right), statement("return digest;"))
    return Source(declarations, (Function("unsigned long long run(void)", body),))


def _folded(left: CType, right: CType) -> Iterator[Statement]:
    """The same with constants for operands: what the compiler computes must be what the machine did."""
    values = [(a, b) for a in edges(left) for b in edges(right)]
    for number, text in enumerate(operators(left, right)):
        for a, b in values[number % _OMITTED :: _OMITTED]:
            names = {"a": f"(({left.name}){constant(a, left)})", "b": f"(({right.name}){constant(b, right)})"}
            yield statement(f"mix((unsigned long long)({_with(text, names)}));")


def _with(text: str, names: dict[str, str]) -> str:
    """`text` with constants in the place of the names a and b."""
    words, at = [], 0
    for position, character in enumerate(text):
        alone = not (text[position - 1 : position].isalnum() or text[position + 1 : position + 2].isalnum())
        if character in names and alone:
            words += [text[at:position], names[character]]
            at = position + 1
    return "".join([*words, text[at:]])
