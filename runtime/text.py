"""Program text: what guests with the same code share, from validation to machine code.

A `Text` is validated code; it is cached by its bytes, so that ten thousand objects that differ in their data are
validated once. A `Unit` is the machine code of a text under one layout: functions are compiled when they are first
called, and every guest with that text and layout runs them. There are up to two, with counted polls for activations
that are entered with a number of polls, without for those that a watcher ends. All live as long as somebody holds
them; a unit's pages and table slots then go back to the arena.
"""

from __future__ import annotations

import threading
import weakref
from bisect import bisect_right
from dataclasses import replace
from hashlib import sha256

from jit.compile import Memos, compile_function
from jit.layout import Layout
from jit.regions import Hints, guess
from runtime.arena import TABLE_SLOT, Arena
from simulator.ebpf import Action, Prepared, action_at, prepare
from simulator.integers import INTEGERS
from validator.decode import decode
from validator.isa import Instruction
from validator.link import Linked
from validator.validate import Function, Validated, validate

_MEMO_ENTRIES = 1 << 16

TextKey = tuple[bytes, tuple[int, ...], tuple[int, ...], frozenset[int]]


class Text:
    """Validated code. `function_at(pc)` is the function that holds `pc`."""

    def __init__(self, key: TextKey, validated: Validated) -> None:
        self.key = key
        self.validated = validated
        self.starts = [function.start for function in validated.functions]
        self._prepared: dict[Layout, Prepared[int]] = {}
        self._names: Linked | None = None

    def shared_names(self, linked: Linked) -> Linked:
        """`linked`, which has this code, sharing with earlier ones what is equal: ten thousand objects of one program
        differ in their data only, and names and code would be a third of what each holds.
        """
        names = self._names
        if names is None:
            names = self._names = replace(linked, code=self.key[0], read_only=b"", writable=b"", writable_size=0)
        elif (names.entries, names.functions, names.sections) != (linked.entries, linked.functions, linked.sections):
            return linked
        return replace(names, read_only=linked.read_only, writable=linked.writable, writable_size=linked.writable_size)

    def shown_name(self, function: Function) -> str:
        """What to call `function` where many programs are shown: name, pc, and a hash of the program's code."""
        program = sha256(self.key[0]).hexdigest()[:8]
        if self._names is None:
            return f"pc {function.start} of {program}"
        called = {pc: name for name, pc in self._names.functions.items()}
        name = called.get(function.start) or self._names.locate(function.start)[0].name
        return f"{name} at pc {function.start} of {program}"

    def function_at(self, pc: int) -> Function:
        return self.validated.functions[bisect_right(self.starts, pc) - 1]

    def prepared(self, layout: Layout) -> Prepared[int]:
        """The reference semantics of this text, for the interpreter engine."""
        prepared = self._prepared.get(layout)
        if prepared is None:
            if len(self._prepared) >= _LAYOUTS_KEPT:
                self._prepared.clear()
            prepared = self._prepared[layout] = prepare(INTEGERS, self.validated, layout)
        return prepared


_LAYOUTS_KEPT = 8
_WRONG_GUESSES = 64  # some 10 us each; enough to be no accident, few enough to cost nothing


class Texts:
    """All texts that somebody holds, by their bytes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._texts: weakref.WeakValueDictionary[TextKey, Text] = weakref.WeakValueDictionary()
        self._decoded: dict[bytes, Instruction] = {}

    def get(self, code: bytes, entries: tuple[int, ...], starts: tuple[int, ...], helpers: frozenset[int]) -> Text:
        """The validated text of `code`. Raises Rejected or LimitExceeded."""
        key = (code, entries, starts, helpers)
        with self._lock:
            text = self._texts.get(key)
            if text is None:
                if len(self._decoded) > _MEMO_ENTRIES:
                    self._decoded.clear()
                text = Text(key, validate(decode(code, self._decoded), entries, helpers, starts))
                self._texts[key] = text
            return text


class Unit:
    """The machine code of `text` under `layout`. Thread-safe."""

    def __init__(self, text: Text, layout: Layout, arena: Arena, memos: Memos, counted: bool) -> None:
        self.text, self.layout, self.counted = text, layout, counted
        self._arena, self._memos = arena, memos
        self._lock = threading.RLock()
        self._hints: Hints | None = None
        self.wrong_guesses = 0
        self._native: dict[int, int] = {}  # native address by pc, where the host may enter
        self._compiled: set[int] = set()  # starts of compiled functions
        self._actions: dict[int, Action[int]] = {}
        count = len(text.starts)
        first = arena.take_table(count)
        self._table = {start: first + TABLE_SLOT * i for i, start in enumerate(text.starts)}
        self._pages: list[tuple[int, int]] = []
        self._finalizer = weakref.finalize(self, _return_to_arena, arena, first, count, self._pages)

    def native_address(self, pc: int) -> int | None:
        """Where to enter for `pc`, compiling its function if need be; None between a check and its last use."""
        address = self._native.get(pc)
        if address is None:
            function = self.text.function_at(pc)
            with self._lock:  # against `guessed_wrong` in another thread, which forgets what was compiled
                if function.start not in self._compiled:
                    self._compile(function)
                address = self._native.get(pc)
        return address

    def action(self, pc: int) -> Action[int]:
        """The reference semantics of the instruction at `pc`."""
        action = self._actions.get(pc)
        if action is None:
            action = self._actions[pc] = action_at(INTEGERS, self.text.validated, self.layout, pc)
        return action

    def guessed_wrong(self) -> None:
        """Note that an access went to another region than was guessed: after some of these, guess no more.

        Functions are then compiled anew when they are next entered, with checks that probe every region. Activations
        in the old code go on in it until they leave.
        """
        with self._lock:
            self.wrong_guesses += 1
            if self.wrong_guesses != _WRONG_GUESSES:
                return
            self._hints = {}
            self._native.clear()
            self._compiled.clear()

    @property
    def code_bytes(self) -> int:
        """Bytes of the arena that this unit holds."""
        return sum(size for _, size in self._pages)

    def _compile(self, function: Function) -> None:
        with self._lock:
            if function.start in self._compiled:
                return
            if self._hints is None:
                self._hints = guess(self.text.validated, self.layout)
            self._memos.forget_if_larger(_MEMO_ENTRIES)
            program, hints = self.text.validated, self._hints
            compiled = compile_function(program, function, self.layout, hints, self._memos, self.counted)
            address, size = self._arena.add(compiled.code, self._table)
            self._pages.append((address, size))
            if self._arena.on_code is not None:
                self._arena.on_code(address, len(compiled.code.code), self.text.shown_name(function))
            self._native.update((pc, address + offset) for pc, offset in compiled.entries.items())
            self._arena.set_callee(self._table[function.start], self._native[function.start])
            self._compiled.add(function.start)


def _return_to_arena(arena: Arena, first: int, count: int, pages: list[tuple[int, int]]) -> None:
    for address, size in pages:
        arena.give_back(address, size)
    arena.give_back_table(first, count)


class Units:
    """All units that somebody holds, by text and layout, and the memos of the passes by layout."""

    def __init__(self, arena: Arena) -> None:
        self._arena = arena
        self._lock = threading.Lock()
        self._units: weakref.WeakValueDictionary[tuple[TextKey, Layout, bool], Unit] = weakref.WeakValueDictionary()
        self._memos: dict[Layout, Memos] = {}

    def get(self, text: Text, layout: Layout, counted: bool) -> Unit:
        """The unit of `text` under `layout`, with counted polls or not. Raises ArenaExhausted."""
        key = (text.key, layout, counted)
        with self._lock:
            unit = self._units.get(key)
            if unit is None:
                if len(self._memos) > _LAYOUTS_KEPT:
                    self._memos.clear()
                memos = self._memos.setdefault(layout, Memos())
                unit = self._units[key] = Unit(text, layout, self._arena, memos, counted)
            return unit
