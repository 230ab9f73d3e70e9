"""A loaded program: validated text, initial data, helpers. What `load` returns, and what makes guests.

    program = runtime.load(elf, helpers={"print": show})
    guest = program.instantiate()
    outcome = guest.run(b"input")

Loading is where hostile bytes are judged: ELF reading, linking, decoding, validation, all before any memory is
reserved. Raises only LoadError and its kinds for bad input.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping

from jit.layout import LOOP_PROFILE, Layout, LayoutRefused, Profile, data_lows, plan
from runtime.errors import EngineUnavailable, SnapshotRefused
from runtime.guest import Guest
from runtime.guest_code import libraries
from runtime.helpers import HelperFunction, Helpers
from runtime.host import Host, shared_host
from runtime.lines import SourceLine, lines_of
from runtime.outcomes import Faulted, FaultKind
from runtime.phase import Phase
from runtime.snapshot import Snapshot, identity
from runtime.text import Text, Unit
from validator.disassemble import disassemble
from validator.errors import LinkError
from validator.link import Limits, Linked, link

JIT, INTERPRETER = "jit", "interpreter"
DEFAULT_LIMITS = Limits()
_UNITS_KEPT = 8  # layouts (calldata sizes) whose code a program keeps while no guest uses it


class Program:
    """See the module. `native` tells which engine its guests use."""

    def __init__(
        self,
        text: Text,
        helpers: Helpers,
        host: Host,
        *,
        engine: str | None,
        profile: Profile,
        linked: Linked | None = None,
        source: bytes | None = None,
        calldata_bytes: int | None = None,
        read_only: bytes = b"",
        writable: bytes = b"",
    ) -> None:
        self.text, self.helpers, self.host, self.profile = text, helpers, host, profile
        self.native = _choose(engine, host)
        self.read_only = linked.read_only if linked is not None else read_only
        self.writable = linked.writable if linked is not None else writable
        self._writable_size = linked.writable_size if linked is not None else len(writable)
        self._linked, self._source = linked, source
        self._calldata_bytes = calldata_bytes
        self._layouts: dict[int, Layout] = {}
        self._units: dict[tuple[Layout, bool], Unit] = {}
        try:
            self.layout_for(calldata_bytes or 0)
        except LayoutRefused as error:
            raise LinkError(f"the program's memory does not fit: {error}") from error

    def instantiate(self) -> Guest:
        """A new guest with its own memory. Raises MemoryUnavailable."""
        return Guest(self, self._calldata_bytes or 0)

    @functools.cached_property
    def identity(self) -> str:
        """What a snapshot remembers of its program, in hex."""
        return identity(self)

    def restore(self, snapshot: Snapshot) -> Guest:
        """A new guest that goes on where `snapshot` was taken, on this program's engine.

        Raises SnapshotRefused if the snapshot is not of this program, or could not have been taken from it.
        """
        if snapshot.program != self.identity:
            raise SnapshotRefused("the snapshot is of another program, or of other initial data, helpers or profile")
        if snapshot.phase is Phase.CLOSED:
            raise SnapshotRefused("a closed guest cannot be restored")
        if self._calldata_bytes is not None and snapshot.calldata_size != self._calldata_bytes:
            raise SnapshotRefused(f"calldata of {snapshot.calldata_size} bytes, here it has {self._calldata_bytes}")
        try:
            guest = Guest(self, snapshot.calldata_size)
        except LayoutRefused as error:
            raise SnapshotRefused(str(error)) from error
        try:
            guest.adopt_snapshot(snapshot)
        except BaseException:
            guest.close()
            raise
        return guest

    def entry_pc(self, entry: str | int | None) -> int:
        """The pc of an entry, by section or function name; None is the program's main entry. Raises LinkError."""
        if isinstance(entry, int):
            if entry not in self.text.validated.entries:
                raise LinkError(f"pc {entry} is no entry; there are: {self.text.validated.entries}")
            return entry
        if self._linked is not None:
            return self._linked.entry(entry)
        if entry is not None:
            raise LinkError(f"bare code has no section or function names, so no {entry!r}")
        return 0

    def calldata_size(self, length: int) -> int:
        """The size of the calldata region for an input of `length` bytes. Raises LayoutRefused."""
        if self._calldata_bytes is None:
            return length
        if length > self._calldata_bytes:
            raise LayoutRefused(f"input of {length} bytes, the program was loaded for {self._calldata_bytes}")
        return self._calldata_bytes

    def layout_for(self, calldata_size: int) -> Layout:
        """The layout with a calldata region of this size. Raises LayoutRefused."""
        layout = self._layouts.get(calldata_size)
        if layout is None:
            if len(self._layouts) >= _UNITS_KEPT:
                del self._layouts[next(iter(self._layouts))]
            layout = _planned(len(self.read_only), self._writable_size, calldata_size, self.profile)
            self._layouts[calldata_size] = layout
        return layout

    def unit_for(self, layout: Layout, counted: bool = True) -> Unit:
        """The machine code under `layout`, with counted polls or not; functions are compiled when first entered."""
        unit = self._units.get((layout, counted))
        if unit is None:
            assert self.host.units is not None
            if len(self._units) >= 2 * _UNITS_KEPT:
                del self._units[next(iter(self._units))]
            unit = self._units[layout, counted] = self.host.units.get(self.text, layout, counted)
        return unit

    def fault(
        self,
        kind: FaultKind,
        pc: int,
        address: int | None = None,
        size: int | None = None,
        write: bool | None = None,
        detail: str = "",
        callers: Iterable[int] = (),
    ) -> Faulted:
        """A fault with all that is known about its place. `callers` are the pcs of the calls, the innermost first.

        In a function that comes with the runtime or the compiler, memcpy or malloc say, the line is that of the call
        in the program's own code: the innermost that has one.
        """
        instruction = self.text.validated.program[pc]
        section, offset, line = None, None, None
        if self._linked is not None:
            placed, offset = self._linked.locate(pc)
            section = placed.name
            if self._source is not None:
                line = self._line(self._linked, self._source, (pc, *callers))
        shown = disassemble(instruction, pc) if instruction is not None else ""
        return Faulted(kind, pc, address, size, write, shown, section, offset, line, detail)

    @staticmethod
    def _line(linked: Linked, source: bytes, pcs: Iterable[int]) -> SourceLine | None:
        """That of the first pc in the program's own code that has one, in its section or that of its caller.

        Reading a table takes long if its author wants it to, so no more than these two sections' are looked for.
        """
        places = [(placed.name, offset) for placed, offset in map(linked.locate, pcs) if placed.library is None]
        for section in list(dict.fromkeys(name for name, _ in places))[:2]:
            offsets = [offset for name, offset in places if name == section]
            lines = lines_of(source, section, offsets)
            for offset in offsets:
                if offset in lines:
                    return lines[offset]
        return None


_planned = functools.lru_cache(maxsize=1024)(plan)  # objects of the same sizes share one `Layout`


def _choose(engine: str | None, host: Host) -> bool:
    if engine not in (None, JIT, INTERPRETER):
        raise EngineUnavailable(f"no engine {engine!r}; there are: {JIT}, {INTERPRETER}")
    if engine == JIT and host.native_unavailable is not None:
        raise EngineUnavailable(host.native_unavailable)
    return engine != INTERPRETER and host.native_unavailable is None


def load(
    elf: bytes,
    helpers: Mapping[int | str, HelperFunction] | Helpers | None = None,
    *,
    engine: str | None = None,
    profile: Profile = LOOP_PROFILE,
    limits: Limits = DEFAULT_LIMITS,
    calldata_bytes: int | None = None,
    host: Host | None = None,
) -> Program:
    """The program in an ELF object. Raises LoadError, ValueError (helper table), EngineUnavailable.

    engine: "jit", "interpreter", or None for the best that this machine has.
    calldata_bytes: the fixed size of the input region. Shorter inputs are followed by zeros and code is compiled
    once. None: the region is exactly as long as each input, and code is compiled per length.
    helpers: a `Helpers` is shared; whoever loads many objects saves its making each time.
    """
    host = host if host is not None else shared_host()
    table = helpers if isinstance(helpers, Helpers) else Helpers(helpers or {})

    def place(read_only_size: int, writable_size: int) -> tuple[int, int]:
        return data_lows(read_only_size)

    def linked_anew() -> Linked:
        return link(elf, table.by_name, place, libraries=libraries(), limits=limits)

    linked = host.links.get(elf, table, limits, linked_anew) if table is helpers else linked_anew()
    entries = tuple(sorted(set(linked.entries.values())))
    text = host.texts.get(linked.code, entries, linked.starts, table.numbers)
    return Program(
        text,
        table,
        host,
        engine=engine,
        profile=profile,
        linked=text.shared_names(linked),
        source=elf if b".debug_line" in elf else None,
        calldata_bytes=calldata_bytes,
    )


def load_bytecode(
    code: bytes,
    helpers: Mapping[int | str, HelperFunction] | None = None,
    *,
    engine: str | None = None,
    profile: Profile = LOOP_PROFILE,
    calldata_bytes: int | None = None,
    host: Host | None = None,
    read_only: bytes = b"",
    writable: bytes = b"",
) -> Program:
    """The program in bare eBPF code, entered at its first instruction. Raises as `load`.

    `read_only` and `writable` are its initial data, which lie where `jit.layout.data_lows` says.
    """
    host = host if host is not None else shared_host()
    table = Helpers(helpers or {})
    text = host.texts.get(code, (0,), (), table.numbers)
    return Program(
        text,
        table,
        host,
        engine=engine,
        profile=profile,
        calldata_bytes=calldata_bytes,
        read_only=read_only,
        writable=writable,
    )
