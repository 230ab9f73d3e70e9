"""A guest that waits for a helper in its second frame, and calls made for it, with arguments put into its memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from jit.layout import Profile
from runtime import Guest, Waiting
from runtime.sdk.calls import SDK_CALLS
from tests.corpus.assembly import EXIT, call_helper, call_local, mov
from tests.programs import with_data
from tests.runtime.sdk.scripted import ScriptedServices

RODATA = b"key\0text\0payload"
RODATA_LOW, DATA_LOW, DATA_SIZE = 0x10000, 0x20000, 0x9000
_HELPER = 5
_CODE = mov(1, 1) + call_local(1) + EXIT + call_helper(_HELPER) + EXIT


class Caller:
    """Texts go to the beginning of the guest's .bss; what calls write goes to OUT, behind them."""

    OUT = DATA_LOW + 0x8000

    def __init__(self, guest: Guest, services: ScriptedServices) -> None:
        self.guest, self.services = guest, services

    def call(self, name: str, *arguments: int | bytes | str) -> int:
        """The answer, signed. A text becomes two arguments: pointer and length."""
        numbers: list[int] = []
        free = DATA_LOW
        for argument in arguments:
            if isinstance(argument, int):
                numbers.append(argument % 2**64)
                continue
            content = argument.encode() if isinstance(argument, str) else argument
            self.guest.memory.write(free, content)
            numbers += (free, len(content))
            free += len(content)
        answer = SDK_CALLS[name](self.services, self.guest.memory, *(numbers + [0] * 5)[:5])
        assert answer is not None
        return (answer + 2**63) % 2**64 - 2**63

    def out(self, size: int) -> bytes:
        return self.guest.read(self.OUT, size)

    def memory(self) -> bytes:
        layout = self.guest.layout
        return bytes(self.guest.slot_memory[RODATA_LOW : layout.stack_low + 4 * layout.frame_stride])


@contextmanager
def caller(services: ScriptedServices | None = None) -> Iterator[Caller]:
    program = with_data(
        _CODE, {_HELPER: lambda *_: 0}, read_only=RODATA, writable=bytes(DATA_SIZE), profile=Profile(4096, 4)
    )
    with program.instantiate() as guest:
        guest.begin()
        assert isinstance(guest.advance(), Waiting)
        guest.memory.write(Caller.OUT, b"\xa5" * 256)
        yield Caller(guest, services or ScriptedServices())
