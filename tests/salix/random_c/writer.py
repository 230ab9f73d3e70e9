"""Random C programs with integers only, all of whose behaviour is defined.

A program depends on the seed and its index alone. It ends: loops count, calls go to functions written before, or to
themselves with a depth that falls; what a call costs is estimated, so that nests of loops do not multiply. Its result
is a digest of all that it stored. Within an expression nothing is changed, so that no order of evaluation matters:
functions that change things are called by statements.
"""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from tests.salix.random_c.expressions import Writer
from tests.salix.random_c.forms import Forms
from tests.salix.random_c.integer_types import INT, TYPES, CType
from tests.salix.random_c.places import Place, Struct, draw_struct, initial
from tests.salix.random_c.statements import Body
from tests.salix.random_c.tree import Expression, Function, Source, Statement, statement

_PRELUDE = (
    "#ifdef FOR_CLANG",
    "#define INLINE __attribute__((always_inline)) inline",
    "#define NOINLINE __attribute__((noinline))",
    "#else",
    "#define INLINE",
    "#define NOINLINE",
    "#endif",
    "void *memcpy(void *, const void *, unsigned long);",
    "void *memset(void *, int, unsigned long);",
    "static unsigned long long digest = 14695981039346656037ull;",
)
_MIX = Function(
    "static NOINLINE void mix(unsigned long long value)",
    (
        statement("digest = (digest ^ (value & 0xffffffffu)) * 1099511628211ull;"),
        statement("digest = (digest ^ (value >> 32)) * 1099511628211ull;"),
    ),
)
_REGISTERS = 5  # for arguments; clang's back end has no more


class Signature(NamedTuple):
    """A function that can be called. `parameters` are types, structs, or pointers to types ("*")."""

    name: str
    returns: CType | Struct | None
    parameters: tuple[CType | Struct | tuple[str, CType], ...]
    changes: bool  # objects other than its own
    recursive: bool
    cost: int


def is_plain(index: int) -> bool:
    """Whether program `index` has only what clang's back end for eBPF can compile."""
    return index % 4 == 0


def write_source(seed: int, index: int) -> Source:
    """Program `index` of a seed."""
    forms = Body if is_plain(index) else Forms
    random = Random(f"{seed}:{index}")
    declarations, structs = list(_PRELUDE), list[Struct]()
    for number in range(random.randrange(4)):
        structs.append(draw_struct(random, f"s{number}", tuple(structs)))
        declarations.append(structs[-1].declaration)
    places: list[Place] = []
    objects: list[tuple[str, Struct]] = []
    for number in range(random.randrange(3, 9)):
        _draw_global(random, number, structs, declarations, places, objects)
    pointed = [place for place in places if place.has_address and not place.counts]
    for number, given in enumerate(sorted({place.type for place in pointed})[: random.randrange(3)]):
        targets = [place.template for place in pointed if place.type == given]
        chosen = [random.choice(targets) for _ in range(random.randrange(1, 4))]
        listed = ", ".join(f"&{name}" for name in chosen)
        declarations.append(f"static {given.name} *const q{number}[] = {{{listed}}};")
        places.append(Place(f"*q{number}[{{}}]", given, (len(chosen),)))
        declarations.append(f"static {given.name} *const *const r{number} = &q{number}[{len(chosen) - 1}];")
        places.append(Place(f"**r{number}", given))
    functions, signatures = [_MIX], list[Signature]()
    for number in range(random.randrange(1, 7)):
        _draw_function(random, number, structs, places, objects, functions, signatures, forms)
        if random.randrange(4) == 0 and not is_plain(index):
            _draw_table(random, number, functions, signatures)
    final = forms(Writer(random, places, signatures), structs, objects, changes=True, budget=4000)
    body = final.declarations() + final.statements(random.randrange(4, 12), depth=0)
    body += [mixed for place in places if not place.constant for mixed in _mix(place)]
    body.append(statement("return digest;"))
    functions.append(Function("unsigned long long run(void)", tuple(body)))
    return Source(tuple(declarations), tuple(functions))


def _draw_global(
    random: Random,
    number: int,
    structs: list[Struct],
    declarations: list[str],
    places: list[Place],
    objects: list[tuple[str, Struct]],
) -> None:
    name, given = f"g{number}", random.choice(TYPES)
    match random.randrange(7):
        case 0 | 1:
            started = f" = {initial(random, given)}" if random.randrange(3) else ""
            qualifiers = random.choice(("static ", "", "static volatile "))
            declarations.append(f"{qualifiers}{given.name} {name}{started};")
            places.append(Place(name, given, volatile="volatile" in qualifiers))
        case 2:
            count = random.randrange(1, 9)
            listed = ", ".join(initial(random, given) for _ in range(random.randrange(count + 1)))
            declarations.append(f"static {given.name} {name}[{count}]{f' = {{{listed}}}' if listed else ''};")
            places.append(Place(f"{name}[{{}}]", given, (count,)))
        case 3:
            rows, columns = random.randrange(1, 4), random.randrange(1, 5)
            listed = ", ".join(initial(random, given) for _ in range(random.randrange(1, rows * columns + 1)))
            declarations.append(f"static {given.name} {name}[{rows}][{columns}] = {{{listed}}};")
            places.append(Place(f"{name}[{{}}][{{}}]", given, (rows, columns)))
        case 4:
            count = random.randrange(2, 9)
            listed = ", ".join(f"[{random.randrange(count)}] = {initial(random, given)}" for _ in range(3))
            declarations.append(f"static const {given.name} {name}[{count}] = {{{listed}}};")
            places.append(Place(f"{name}[{{}}]", given, (count,), constant=True))
        case _ if structs:
            struct = random.choice(structs)
            if random.randrange(3) == 0:
                count = random.randrange(1, 4)
                declarations.append(f"static struct {struct.name} {name}[{count}];")
                places += [
                    m._replace(template=f"{name}[{{}}]{m.template}", counts=(count, *m.counts)) for m in struct.members
                ]
                return
            plain = [m for m in struct.members if not m.counts]
            chosen = random.sample(plain, min(len(plain), 2))
            listed = ", ".join(f"{m.template} = {random.randrange(2)}" for m in chosen)
            declarations.append(f"static struct {struct.name} {name} = {{{listed or '0'}}};")
            places += [m._replace(template=name + m.template) for m in struct.members]
            objects.append((name, struct))
        case _:
            declarations.append(f"static {given.name} {name};")
            places.append(Place(name, given))


def _mix(place: Place) -> list[Statement]:
    """Statements that digest all of the place."""
    loops = [f"for (int x{at} = 0; x{at} < {count}; x{at}++) " for at, count in enumerate(place.counts)]
    text = place.template.format(*(f"x{at}" for at in range(len(loops))))
    return [statement(f"{''.join(loops)}mix((unsigned long long){text});")]


def _draw_function(
    random: Random,
    number: int,
    structs: list[Struct],
    places: list[Place],
    objects: list[tuple[str, Struct]],
    functions: list[Function],
    signatures: list[Signature],
    forms: type[Body],
) -> None:
    name, changes = f"f{number}", random.randrange(3) == 0
    recursive = random.randrange(5) == 0
    returns: CType | Struct | None = random.choice(TYPES)
    if structs and random.randrange(5) == 0 and not recursive:
        returns = random.choice(structs)
    parameters: list[CType | Struct | tuple[str, CType]] = [INT] if recursive else []
    heads, known, own_objects = ["int depth"] if recursive else [], [], list[tuple[str, Struct]]()
    scalars_only = True
    for at in range(random.randrange(4 if recursive else 8)):
        given, kind = random.choice(TYPES), random.randrange(8)
        if kind == 0 and structs and not recursive:
            struct = random.choice(structs)
            parameters.append(struct)
            heads.append(f"struct {struct.name} p{at}")
            known += [m._replace(template=f"p{at}{m.template}") for m in struct.members]
            own_objects.append((f"p{at}", struct))
            scalars_only = False
        elif kind == 1 and changes:
            parameters.append(("*", given))
            heads.append(f"{given.name} *p{at}")
            known.append(Place(f"*p{at}", given))
        else:
            parameters.append(given)
            heads.append(f"{given.name} p{at}")
            known.append(Place(f"p{at}", given))
    if changes and random.randrange(3) == 0:
        returns = None
    simple = scalars_only and len(parameters) <= _REGISTERS and not isinstance(returns, Struct)
    readable = [*known, *places] if random.randrange(3) else known
    writer = Writer(random, readable, signatures)
    stored = readable if changes else known
    budget = 40 if recursive else 200
    body = forms(writer, structs, [*own_objects, *(objects if changes else [])], changes, budget, stored)
    made: list[Statement] = []
    if recursive and isinstance(returns, CType):
        made.append(statement("if (depth <= 0) return {0};", writer.any()))
    made += body.declarations()
    made += body.statements(random.randrange(1, 6), depth=1)
    if recursive and isinstance(returns, CType):
        arguments = [Expression("depth - 1"), *(writer.any() for _ in parameters[1:])]
        if all(isinstance(each, CType) for each in parameters):
            shown = ", ".join(f"{{{at}}}" for at in range(len(arguments)))
            made.append(statement(f"return {name}({shown}) ^ {{{len(arguments)}}};", *arguments, writer.any()))
        else:
            recursive = False
    if isinstance(returns, Struct):
        made.append(body.return_struct(returns))
    elif returns is not None and not recursive:
        made.append(statement("return {0};", writer.any()))
    kept = random.choice(("NOINLINE", "")) if simple or recursive else "INLINE"
    shown_type = (
        "void" if returns is None else f"struct {returns.name}" if isinstance(returns, Struct) else returns.name
    )
    functions.append(Function(f"static {kept} {shown_type} {name}({', '.join(heads) or 'void'})", tuple(made)))
    cost = (5 if recursive else 1) * (budget - body.budget + 20)
    signatures.append(Signature(name, returns, tuple(parameters), changes, recursive, cost))


def _draw_table(random: Random, number: int, functions: list[Function], signatures: list[Signature]) -> None:
    """A table of functions of the same type, which are written for it, and a signature that calls through it."""
    count, given = random.randrange(2, 5), random.choice(TYPES)
    parameters = [random.choice(TYPES) for _ in range(random.randrange(1, 4))]
    names = []
    for at in range(count):
        writer = Writer(random, [Place(f"p{n}", each) for n, each in enumerate(parameters)], [])
        names.append(f"t{number}_{at}")
        heads = ", ".join(f"{each.name} p{n}" for n, each in enumerate(parameters))
        functions.append(
            Function(f"static {given.name} {names[-1]}({heads})", (statement("return {0};", writer.any()),))
        )
    kinds = ", ".join(each.name for each in parameters)
    head = f"static {given.name} (*const t{number}[])({kinds}) = {{{', '.join(names)}}}; static {given.name} c{number}"
    heads = ", ".join(["unsigned which", *(f"{each.name} p{n}" for n, each in enumerate(parameters))])
    passed = ", ".join(f"p{n}" for n in range(len(parameters)))
    chosen = f"t{number}[which % {count}]"
    body = (
        (statement(f"return {chosen}({passed});"),),
        (
            statement(f"{given.name} (*one)({kinds}) = {chosen}, (**where)({kinds}) = &one;"),
            statement(f"return (*where)({passed});"),
        ),
        (
            statement(f"struct {{{{ int n; {given.name} (*called)({kinds}); }}}} made = {{{{3, {chosen}}}}};"),
            statement(f"return (&made)->called({passed});"),
        ),
    )
    functions.append(Function(f"{head}({heads})", random.choice(body)))
    unsigned = next(each for each in TYPES if each.name == "unsigned")
    signatures.append(Signature(f"c{number}", given, (unsigned, *parameters), False, False, 20))
