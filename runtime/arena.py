"""The code arena: where machine code lies, never writable and executable at once.

    function table   r/w      8-byte slots, one per function: where a local call goes
    stubs            r/x      trampolines and exit stubs, written once
    code             r/x      whole pages; written as r/w, then made r/x and not touched until they are given back

A page that holds code is never opened again, so that no other thread's guest can run into a page that is not
executable. Pages and table slots are given back when the last owner of a program's code lets go of it.
"""

from __future__ import annotations

import contextlib
import ctypes
import platform
import sys
from collections.abc import Callable

from jit.assemble import FunctionCode, place, template
from jit.context import Exit
from jit.layout import PAGE, aligned
from jit.trampolines import RESUME, RESUME_CALLED, START, leave
from runtime.errors import ArenaExhausted, EngineUnavailable, MemoryUnavailable
from runtime.extents import Extents, Returns
from runtime.kernel import NO_ACCESS, READ_EXECUTE, READ_WRITE, Reservation

ARENA_BYTES = 1 << 30  # below 2 GiB: every distance fits a 32-bit displacement
TABLE_BYTES = 16 << 20
TABLE_SLOT = 8
_STUB_BYTES = PAGE
_CODE_OFFSET = TABLE_BYTES + _STUB_BYTES

Entry = Callable[[int, int], int]


class Entries:
    """The ways into guest code, as Python callables `(cage base, native address) -> Exit`."""

    def __init__(self, start: int, resume: int, resume_called: int, prototype: Callable[[int], Entry]) -> None:
        self.start = prototype(start)
        self.resume = prototype(resume)
        self.resume_called = prototype(resume_called)


def native_unavailable() -> str | None:
    """Why this machine cannot run native code, or None."""
    if platform.machine() not in ("x86_64", "AMD64"):
        return f"the code generator is for x86-64, this is {platform.machine()}"
    if sys.platform == "win32":
        return "native code needs POSIX memory calls"
    return None


class Arena:
    """One process's machine code. Thread-safe. Raises EngineUnavailable where there can be none.

    `wish`: see `Reservation`. Only tests that must see the same addresses in every run have one.
    """

    def __init__(self, size: int = ARENA_BYTES, wish: int | None = None) -> None:
        reason = native_unavailable()
        if reason is not None:
            raise EngineUnavailable(reason)
        self._returned = Returns()
        self._reservation = Reservation(size, wish)
        self._reservation.protect(0, TABLE_BYTES, READ_WRITE)
        self._table = self._reservation.view[:TABLE_BYTES].cast("Q")
        self._slots = Extents(TABLE_BYTES // TABLE_SLOT)
        self._pages = Extents((size - _CODE_OFFSET) // PAGE)
        self.stubs: dict[Exit, int] = {}
        self.ways_in = self._write_stubs()
        self.on_code: Callable[[int, int, str], None] | None = None  # told of address, size and name of new code
        signature = (ctypes.c_uint32, ctypes.c_uint64, ctypes.c_uint64)
        self.held = Entries(*self.ways_in, ctypes.PYFUNCTYPE(*signature))  # the interpreter lock is held meanwhile
        self.released = Entries(*self.ways_in, ctypes.CFUNCTYPE(*signature))  # and released

    @property
    def low(self) -> int:
        return self._reservation.address

    @property
    def high(self) -> int:
        return self._reservation.address + self._reservation.size

    @property
    def code_low(self) -> int:
        """Where functions begin; trampolines and stubs lie before."""
        return self.low + _CODE_OFFSET

    @property
    def code_bytes(self) -> int:
        """Bytes of code in use, whole pages, without the stubs."""
        return self._pages.used() * PAGE

    @property
    def table_slots(self) -> int:
        """Function table slots in use."""
        return self._slots.used()

    def _write_stubs(self) -> tuple[int, int, int]:
        """The native addresses of the trampolines that enter: start, resume, resume_called."""
        code = bytearray()
        addresses: list[int] = []
        for instructions in (START, RESUME, RESUME_CALLED, *(leave(reason) for reason in Exit)):
            addresses.append(self.low + TABLE_BYTES + len(code))
            code += template(instructions)[0]
            code += b"\xcc" * (-len(code) % 16)
        self._write(TABLE_BYTES, bytes(code), _STUB_BYTES)
        self.stubs = dict(zip(Exit, addresses[3:], strict=True))
        start, resume, resume_called = addresses[:3]
        return start, resume, resume_called

    def _write(self, offset: int, code: bytes, size: int) -> None:
        """`code`, then breakpoints, into fresh pages."""
        self._reservation.protect(offset, size, READ_WRITE)
        self._reservation.view[offset : offset + size] = code + b"\xcc" * (size - len(code))
        self._reservation.protect(offset, size, READ_EXECUTE)

    def take_table(self, count: int) -> int:
        """The native address of `count` consecutive table slots, all set to the stub for uncompiled callees."""
        first = self._returned.take(self._slots, count)
        if first is None:
            raise ArenaExhausted("function table slots", count, TABLE_BYTES // TABLE_SLOT)
        for slot in range(first, first + count):
            self._table[slot] = self.stubs[Exit.UNCOMPILED]
        return self.low + first * TABLE_SLOT

    def give_back_table(self, address: int, count: int) -> None:
        """Return `count` table slots from `take_table`."""
        self._returned.give_back(self._slots, (address - self.low) // TABLE_SLOT, count)

    def set_callee(self, slot_address: int, native: int) -> None:
        """From now on, calls through this table slot go to `native`."""
        self._table[(slot_address - self.low) // TABLE_SLOT] = native

    def add(self, function: FunctionCode, table: dict[int, int]) -> tuple[int, int]:
        """Place `function`; its native address and the bytes it takes. `table`: slot address by callee pc.

        Raises ArenaExhausted, or MemoryUnavailable, and then nothing has changed.
        """
        size = aligned(len(function.code), PAGE)
        page = self._returned.take(self._pages, size // PAGE)
        if page is None:
            raise ArenaExhausted("bytes of code", size, self._reservation.size - _CODE_OFFSET)
        offset = _CODE_OFFSET + page * PAGE
        code = place(function, self.low + offset, self.stubs, table)
        try:
            self._write(offset, code, size)
        except BaseException:  # the kernel has no room for another mapping
            self._returned.give_back(self._pages, page, size // PAGE)
            raise
        return self.low + offset, size

    def give_back(self, address: int, size: int) -> None:
        """Return the pages at `address`. No guest may be able to run them any more."""
        offset = address - self.low
        self._reservation.forget(offset, size)
        with contextlib.suppress(MemoryUnavailable):  # no room for another mapping: they stay, empty
            self._reservation.protect(offset, size, NO_ACCESS)
        self._returned.give_back(self._pages, (offset - _CODE_OFFSET) // PAGE, size // PAGE)
