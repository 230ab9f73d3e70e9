"""The errors of the runtime, apart from those of the load path (`validator.errors`).

    RuntimeRefused            the runtime will not do this; nothing has changed
    |- LayoutHypothesis       a guest's memory does not satisfy what the proofs assume; it is not entered
    |- MemoryUnavailable      the kernel gives no more address space or memory
    |- ArenaExhausted         the code arena or the function table is full
    |- WrongState             the guest is not in a state in which this can be done
    |- SnapshotRefused        a snapshot does not fit the program, or is malformed
    `- EngineUnavailable      this processor or kernel has no such engine
    GuestPointerFault         a helper was given a bad pointer: becomes the guest's fault, not the host's error

A guest's own faults are outcomes (`runtime.outcomes`), never exceptions.
"""

from __future__ import annotations

from jit.layout import Span


class RuntimeRefused(Exception):
    """The runtime will not do this; nothing has changed."""


class LayoutHypothesis(RuntimeRefused):
    """A placement violates the layout hypothesis; `violation` says which part."""

    def __init__(self, violation: str) -> None:
        self.violation = violation
        super().__init__(f"the guest was not entered: {violation}")


class MemoryUnavailable(RuntimeRefused):
    """The kernel refused to map memory; the message has what was asked and its answer."""


class ArenaExhausted(RuntimeRefused):
    """No room for `wanted` bytes of code, or function table slots."""

    def __init__(self, what: str, wanted: int, limit: int) -> None:
        self.what, self.wanted, self.limit = what, wanted, limit
        super().__init__(f"{what}: no room for {wanted}, the arena has {limit}")


class WrongState(RuntimeRefused):
    """The guest is not in a state in which this can be done."""


class SnapshotRefused(RuntimeRefused):
    """A snapshot does not fit the program, or is malformed."""


class EngineUnavailable(RuntimeRefused):
    """This processor or kernel has no such engine."""


class GuestPointerFault(Exception):
    """A helper was given a range that the guest may not access. The runtime turns it into a fault of the guest."""

    def __init__(self, address: int, size: int, write: bool, spans: tuple[Span, ...]) -> None:
        self.address, self.size, self.write, self.spans = address, size, write, spans
        kind = "written" if write else "read"
        allowed = ", ".join(f"[{s.low:#x}, {s.low + s.size:#x})" for s in spans if s.size) or "nothing"
        super().__init__(f"{size} bytes at guest address {address:#x} cannot be {kind}; allowed: {allowed}")
