"""validator/, jit/ and simulator/ are pure: what the proofs assume of their code, checked in its syntax trees.

The proofs run the functions of these packages on symbolic words. That says something about the shipped code only if a
function's result depends on its arguments alone. Each rule below has planted violations beside their nearest allowed
neighbours. What syntax cannot show is not claimed: a module's table that is passed on under another name and changed
there goes unseen, and so does a float that a function of the standard library returns.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

REPOSITORY = Path(__file__).parents[1]
CORE = ("validator", "jit", "simulator")
STANDARD_LIBRARY = {
    "__future__", "bisect", "collections", "collections.abc", "dataclasses", "enum", "itertools", "struct", "typing",
}  # fmt: skip
NAMES_OF = {"functools": {"partial"}}  # caches are state: of these modules only these names
MAY_IMPORT = {
    "validator": {"validator"},
    "jit": {"jit", "validator"},
    "simulator": {"simulator", "jit", "validator"},
    "proofs": {"proofs", "simulator", "jit", "validator"},
    "differential": {"differential", "runtime", "simulator", "jit", "validator"},
    "runtime": {"runtime", "simulator", "jit", "validator"},
    "salix": {"salix", "runtime"},
}
FORBIDDEN_CALLS = {
    "open", "print", "input", "eval", "exec", "compile", "globals", "vars", "setattr", "delattr", "__import__",
    "breakpoint", "float", "complex", "id", "hash",
}  # fmt: skip
CHANGING_METHODS = {
    "append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse", "add", "discard", "update", "setdefault",
    "popitem", "__setitem__", "__delitem__", "intersection_update", "difference_update",
}  # fmt: skip

# Handlers that are allowed, by file: what is caught, and it is turned into the typed rejection of that pass.
HANDLERS = {"validator/elf.py": ["UnicodeDecodeError"]}


class Finding(NamedTuple):
    rule: str
    line: int
    text: str


def findings(source: str, package: str, path: str = "") -> list[Finding]:
    """Where `source`, a module of `package`, breaks the rules of the core."""
    tree = ast.parse(source)
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.stmt | ast.expr)]
    found = [Finding(rule, node.lineno, text) for node in nodes for rule, text in _at(node)]
    found += layering(tree, package)
    found += _foreign_imports(tree)
    found += _changes(tree)
    caught = [ast.unparse(h.type) if h.type else "" for h in ast.walk(tree) if isinstance(h, ast.ExceptHandler)]
    if caught != HANDLERS.get(path, []):
        found.append(Finding("handler", 0, f"catches {caught}, allowed: {HANDLERS.get(path, [])}"))
    return found


def _at(node: ast.stmt | ast.expr) -> Iterator[tuple[str, str]]:
    """What is wrong with this node by itself."""
    match node:
        case ast.Global(names=names):
            yield "global", ", ".join(names)
        case ast.Constant(value=float() | complex()):
            yield "float", str(node.value)
        case ast.BinOp(op=ast.Div()) | ast.AugAssign(op=ast.Div()):
            yield "float", ast.unparse(node)
        case ast.Call(func=ast.Name(id=name)) if name in FORBIDDEN_CALLS:
            yield "call", name
        case ast.With() | ast.AsyncWith() | ast.AsyncFunctionDef() | ast.Await():
            yield "effect", type(node).__name__
        case ast.FunctionDef(args=arguments):
            for default in (*arguments.defaults, *arguments.kw_defaults):
                if isinstance(default, ast.Dict | ast.List | ast.Set | ast.DictComp | ast.ListComp | ast.SetComp):
                    yield "mutable default", node.name


def layering(tree: ast.AST, package: str) -> list[Finding]:
    """Imports of our packages that do not point down the list; relative imports, which hide where they point."""
    found = []
    for node, module, _ in _imports(tree):
        top = module.partition(".")[0]
        if top in MAY_IMPORT and top not in MAY_IMPORT[package]:
            found.append(Finding("layer", node.lineno, f"{package} imports {module}"))
        if isinstance(node, ast.ImportFrom) and node.level:
            found.append(Finding("layer", node.lineno, "relative import"))
    return found


def _foreign_imports(tree: ast.AST) -> Iterator[Finding]:
    for node, module, name in _imports(tree):
        if module.partition(".")[0] in MAY_IMPORT or module in STANDARD_LIBRARY:
            continue
        if name is None or name not in NAMES_OF.get(module, set()):
            yield Finding("import", node.lineno, f"{module} {name or ''}".rstrip())


def _imports(tree: ast.AST) -> Iterator[tuple[ast.Import | ast.ImportFrom, str, str | None]]:
    """Every import, also inside functions: module and name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node, alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node, node.module or "", alias.name) for alias in node.names)


def _changes(tree: ast.Module) -> Iterator[Finding]:
    """Functions that change what a name of the module, its own or imported, is bound to."""
    shared = {name for statement in tree.body for name in _bound(statement)}
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.Lambda)):
        own = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)}
        own |= {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        for node in ast.walk(function):
            if isinstance(node, ast.expr) and (changed := _changed(node)) in shared - own:
                yield Finding("state", node.lineno, f"changes {changed}")


def _bound(statement: ast.stmt) -> Iterator[str]:
    """Names that a statement of the module binds, functions and classes included."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        yield statement.name
    elif isinstance(statement, ast.Import | ast.ImportFrom):
        yield from (alias.asname or alias.name for alias in statement.names)
    else:
        yield from (n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))


def _changed(node: ast.expr) -> str | None:
    """The name through which this node changes an object: NAME[...] = , NAME.x = , NAME.append(...), and deeper."""
    match node:
        case ast.Subscript(value=target, ctx=ast.Store() | ast.Del()):
            return _root(target)
        case ast.Attribute(value=target, ctx=ast.Store() | ast.Del()):
            return _root(target)
        case ast.Call(func=ast.Attribute(value=target, attr=method)) if method in CHANGING_METHODS:
            return _root(target)
        case _:
            return None


def _root(target: ast.expr) -> str | None:
    while isinstance(target, ast.Subscript | ast.Attribute):
        target = target.value
    return target.id if isinstance(target, ast.Name) else None


# ---------------------------------------------------------------- the code


def modules(*packages: str) -> list[Path]:
    return [path for package in packages for path in sorted((REPOSITORY / package).rglob("*.py"))]


def relative(path: Path) -> str:
    return path.relative_to(REPOSITORY).as_posix()


@pytest.mark.parametrize("path", modules(*CORE), ids=relative)
def test_core_is_pure(path: Path) -> None:
    assert findings(path.read_text(), relative(path).partition("/")[0], relative(path)) == []


@pytest.mark.parametrize("path", modules(*sorted(set(MAY_IMPORT) - set(CORE))), ids=relative)
def test_other_packages_import_down_the_list_only(path: Path) -> None:
    assert layering(ast.parse(path.read_text()), relative(path).partition("/")[0]) == []


def test_the_core_is_there_and_handlers_are_listed_for_files_that_exist() -> None:
    assert len(modules(*CORE)) > 30
    assert all((REPOSITORY / path).exists() for path in HANDLERS)


# ---------------------------------------------------------------- the check itself


@pytest.mark.parametrize(
    ("source", "rules"),
    [
        ("import struct", []),
        ("import os", ["import"]),
        ("def f():\n    import time", ["import"]),
        ("from random import Random", ["import"]),
        ("from functools import partial", []),
        ("from functools import cache", ["import"]),
        ("import functools", ["import"]),
        ("from validator.isa import Form", []),
        ("from jit.x86 import X86", []),
        ("from simulator.words import Words", ["layer"]),
        ("import runtime", ["layer"]),
        ("from . import x86", ["layer", "import"]),
        ("def f():\n    global X\n    X = 1", ["global"]),
        ("X = 1", []),
        ("X = 1.0", ["float"]),
        ("X = 1e3", ["float"]),
        ("X = 7 // 2", []),
        ("X = 7 / 2", ["float"]),
        ("def f(x):\n    x /= 2", ["float"]),
        ("def f(x):\n    return float(x)", ["call"]),
        ("def f(x):\n    print(x)", ["call"]),
        ("def f(x):\n    return open(x)", ["call"]),
        ("def f(x):\n    return hash(x)", ["call"]),
        ("def f(x):\n    with x:\n        pass", ["effect"]),
        ("async def f():\n    pass", ["effect"]),
        ("def f(x=()):\n    pass", []),
        ("def f(x=[]):\n    pass", ["mutable default"]),
        ("def f(*, x={}):\n    pass", ["mutable default"]),
        ("def f():\n    raise ValueError", []),
        ("def f():\n    try:\n        g()\n    except ValueError:\n        pass", ["handler"]),
        ("def f():\n    try:\n        g()\n    except:\n        pass", ["handler"]),
        ("T = {}\nT[1] = 2", []),  # while the module is made
        ("T = {}\ndef f():\n    return T[1]", []),
        ("T = {}\ndef f():\n    T[1] = 2", ["state"]),
        ("T = {}\ndef f():\n    T[1] += 2", ["state"]),
        ("T = {}\ndef f():\n    del T[1]", ["state"]),
        ("T = {}\ndef f(T):\n    T[1] = 2", []),
        ("T = {}\ndef f():\n    T = {}\n    T[1] = 2", []),
        ("T = []\ndef f():\n    T.append(1)", ["state"]),
        ("T = []\ndef f():\n    T.index(1)", []),
        ("T = {1: []}\ndef f():\n    T[1].append(1)", ["state"]),
        ("T: dict[int, int] = {}\ndef f():\n    T.setdefault(1, 2)", ["state"]),
        ("A = B = set()\ndef f():\n    B.add(1)", ["state"]),
        ("from validator.isa import ROWS\ndef f():\n    ROWS.append(1)", ["state"]),
        ("class C:\n    x = 0\n\ndef f():\n    C.x = 1", ["state"]),
        ("class C:\n    def f(self):\n        self.x = 1", []),
        ("def f():\n    f.calls = 1", ["state"]),
        ("T = []\nf = lambda: T.append(1)", ["state"]),
        ("def f():\n    made = []\n    made.append(1)\n    return made", []),
    ],
)
def test_planted_violations_are_found(source: str, rules: list[str]) -> None:
    assert [finding.rule for finding in findings(source, "jit")] == rules


def test_a_listed_handler_is_allowed_in_its_file_only_and_only_it() -> None:
    allowed = "try:\n    f()\nexcept UnicodeDecodeError:\n    g()"
    assert findings(allowed, "validator", "validator/elf.py") == []
    assert [f.rule for f in findings(allowed, "validator", "validator/link.py")] == ["handler"]
    for other in (allowed.replace("UnicodeDecode", "Value"), f"{allowed}\n{allowed}", "pass"):
        assert [f.rule for f in findings(other, "validator", "validator/elf.py")] == ["handler"]


@pytest.mark.parametrize(
    ("importer", "imported", "allowed"),
    [
        ("validator", "jit", False),
        ("jit", "validator", True),
        ("simulator", "proofs", False),
        ("proofs", "runtime", False),
        ("differential", "runtime", True),
        ("runtime", "simulator", True),
        ("runtime", "salix", False),
        ("salix", "runtime", True),
        ("salix", "jit", False),
    ],
)
def test_layers(importer: str, imported: str, allowed: bool) -> None:
    assert (layering(ast.parse(f"from {imported}.x import y"), importer) == []) is allowed
