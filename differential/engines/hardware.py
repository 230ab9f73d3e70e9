"""This processor: bytes in the runtime's arena, entered and left by its trampolines.

    trampoline `resume`   the host's registers to the stack, rbp := cage base, then to the harness
    harness, loading      host rsp to memory, flags, sixteen registers, then through a function table slot to
    snippet               its cell; behind its last instruction through a function table slot to
    harness, saving       all registers but rbp; or, in a second run from the same state, rbp
    exit stub             the host's registers back

A snippet may leave anything in rsp and rbp. To save registers one of the two has to be known, so rbp is overwritten;
that is why it takes a second run to see what rbp was. All harness code is made of instructions of `jit.x86`.

Snippets run in a forked process: if the processor refuses one, that process dies, its parent knows which snippet it was
at and goes on with the next one in another process. Time is the child's processor time, limited by the kernel.
"""

from __future__ import annotations

import faulthandler
import mmap
import os
import resource
import signal
import struct

from differential.chunk import Chunk
from differential.engines.missing import EngineMissing
from differential.outcome import ASTRAY, DIVIDE_ERROR, ENDLESS, FINISHED, FLAGS, MEMORY_FAULT, Outcome
from differential.placement import ARENA_BYTES, CAGE_BYTES, END_SLOT, SLOTS, START_SLOT, Placement
from differential.snippet import PAGE, operation_for
from differential.versions import processor
from jit.assemble import join, template
from jit.context import Exit
from jit.registers import CAGE, Reg
from jit.x86 import (
    X86,
    Alu,
    AluReg,
    Callee,
    Cond,
    Jump,
    JumpIf,
    JumpTable,
    Label,
    Load,
    Local,
    Mem,
    MovImm64,
    MovReg,
    Store,
    StoreImm,
    Stub,
)
from runtime.arena import Arena
from runtime.errors import EngineUnavailable
from runtime.kernel import READ_WRITE, Reservation
from simulator.machine import Flags

# the harness's data, as offsets from the cage base
_IN, _OPERANDS, HOST_RSP = 0, 128, 144  # sixteen registers; the two numbers that make the flags; 8 bytes
_OUT, _OUT_FLAGS = 256, 384  # sixteen registers; four bytes
_OUT_BYTES = _OUT_FLAGS + 4 - _OUT
_RECORD = _OUT_BYTES + PAGE  # of the memory shared with the child: what a snippet left
_AT = 8  # bytes at the beginning of it: how many snippets are done
_CAME_BACK_OTHERWISE = 1  # a status of the child
_SECONDS = 1  # of processor time for a chunk, which takes some hundredths

_ENDED_BY = {
    signal.SIGFPE: DIVIDE_ERROR,
    signal.SIGSEGV: MEMORY_FAULT,
    signal.SIGBUS: MEMORY_FAULT,
    signal.SIGTRAP: ASTRAY,
    signal.SIGXCPU: ENDLESS,
    signal.SIGKILL: ENDLESS,
}
_CONDITION_OF = {"cf": Cond.B, "zf": Cond.E, "sf": Cond.S, "of": Cond.L}  # L is SF xor OF
_START = Callee(START_SLOT)


def _load(op: Alu) -> tuple[X86, ...]:
    """The processor's state from the harness's data; then to the snippet. Moves leave the flags alone."""
    return (
        Store(8, Mem(HOST_RSP), Reg.rsp),
        Load(8, Reg.rax, Mem(_OPERANDS)),
        Load(8, Reg.rcx, Mem(_OPERANDS + 8)),
        AluReg(op, 64, Reg.rax, Reg.rcx),
        *(Load(8, reg, Mem(_IN + 8 * reg)) for reg in (*(r for r in Reg if r is not CAGE), CAGE)),
        JumpTable(_START),
    )


_BACK_TO_HOST: tuple[X86, ...] = (Load(8, Reg.rsp, Mem(HOST_RSP)), Jump(Stub(Exit.FINISHED)))


def _save(base: int) -> tuple[X86, ...]:
    """All but rbp to the harness's data."""
    stored: list[X86] = [Store(8, Mem(_OUT + 8 * reg), reg) for reg in Reg if reg is not CAGE]
    for k, name in enumerate(FLAGS):
        place = Mem(_OUT_FLAGS + k)
        stored += [StoreImm(1, place, 1), JumpIf(_CONDITION_OF[name], Local(k)), StoreImm(1, place, 0), Label(k)]
    return (MovImm64(CAGE, base), *stored, *_BACK_TO_HOST)


def _save_rbp(base: int) -> tuple[X86, ...]:
    return (MovReg(64, Reg.rax, CAGE), MovImm64(CAGE, base), Store(8, Mem(_OUT + 8 * CAGE), Reg.rax), *_BACK_TO_HOST)


class Hardware:
    """See the module. Raises EngineMissing where the processor is another one. Owns an arena and some memory."""

    def __init__(self, wish: Placement) -> None:
        try:
            self._arena = Arena(ARENA_BYTES, wish.arena)
        except EngineUnavailable as unavailable:
            raise EngineMissing("hardware", str(unavailable)) from unavailable
        self._memory = Reservation(CAGE_BYTES, wish.cage)
        self.placement = Placement(self._arena.low, self._memory.address)
        self.version = processor()
        base, scratch = self.placement.base, self.placement.scratch
        self._memory.protect(0, 2 * PAGE, READ_WRITE)
        self._memory.protect(scratch - self._memory.address, PAGE, READ_WRITE)
        self._data = self._memory.view[base - self._memory.address :][:PAGE]
        self._page = self._memory.view[scratch - self._memory.address :][:PAGE]
        assert self._arena.take_table(SLOTS) == self.placement.slot(0)
        # saving first: the harness begins where snippets end
        code = join(
            [
                (0, template(_save(base))),
                (1, template(_save_rbp(base))),
                *((pc, template(_load(op))) for pc, op in ((2, Alu.CMP), (3, Alu.ADD))),
            ]
        )
        start = self.placement.slot(START_SLOT)
        address, _ = self._arena.add(code, {2 + START_SLOT: start, 3 + START_SLOT: start})
        assert address == self.placement.harness
        self._save, self._save_rbp, compare, add = (address + offset for offset in code.offsets)
        self._load = {Alu.CMP: compare, Alu.ADD: add}

    def stub(self, reason: Exit) -> int:
        """The native address of an exit stub."""
        return self._arena.stubs[reason]

    def run(self, chunk: Chunk) -> list[Outcome]:
        """One outcome per snippet, in the order of the chunk."""
        assert chunk.placement == self.placement
        address, size = self._arena.add(chunk.function, chunk.callees)
        assert address == self.placement.cells
        outcomes: list[Outcome] = []
        # made here and not once: this process may be a fork of one that has an engine, too
        with mmap.mmap(-1, _AT + len(chunk.snippets) * _RECORD) as shared:
            try:
                while len(outcomes) < len(chunk.snippets):
                    outcomes += self._run_in_child(chunk, len(outcomes), shared)
            finally:
                self._arena.give_back(address, size)
        return outcomes

    def _run_in_child(self, chunk: Chunk, first: int, shared: mmap.mmap) -> list[Outcome]:
        """The outcomes from snippet number `first` to the last one, or to the one that ended the child."""
        shared[:_AT] = first.to_bytes(_AT, "little")
        pid = os.fork()
        if pid == 0:
            self._be_the_child(chunk, first, shared)
        _, status = os.waitpid(pid, 0)
        done = int.from_bytes(shared[:_AT], "little")
        outcomes = [_outcome(number, shared) for number in range(first, done)]
        if os.WIFSIGNALED(status):
            number = signal.Signals(os.WTERMSIG(status))
            outcomes.append(Outcome(_ENDED_BY.get(number, number.name)))
        elif status != 0:  # the snippet came back otherwise than through the harness, or broke the interpreter
            outcomes.append(Outcome(ASTRAY))
        return outcomes

    def _be_the_child(self, chunk: Chunk, first: int, shared: mmap.mmap) -> None:
        """Never returns. No handler may run while rsp is the snippet's: signals kill, or wait."""
        status = 1
        try:
            faulthandler.disable()
            for fatal in {*_ENDED_BY, signal.SIGILL} - {signal.SIGKILL}:
                signal.signal(fatal, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGALRM, signal.SIGPROF, signal.SIGCHLD})
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS + 1))
            for number in range(first, len(chunk.snippets)):
                self._run_here(chunk, number, shared)
                shared[:_AT] = (number + 1).to_bytes(_AT, "little")
            status = 0
        finally:
            os._exit(status)

    def _run_here(self, chunk: Chunk, number: int, shared: mmap.mmap) -> None:
        snippet, record = chunk.snippets[number], _AT + number * _RECORD
        op, a, b = operation_for(snippet.flags)
        state = struct.pack("<18Q", *snippet.registers, a, b)
        arena, slot = self._arena, self.placement.slot
        arena.set_callee(slot(START_SLOT), chunk.start(snippet))
        for taken, address in chunk.slots(number).items():
            arena.set_callee(slot(taken), address)
        for save in (self._save_rbp, self._save):
            self._data[_IN : _IN + len(state)] = state
            self._page[:] = snippet.page
            arena.set_callee(slot(END_SLOT), save)
            if arena.held.resume(self.placement.base, self._load[op]) != Exit.FINISHED:
                os._exit(_CAME_BACK_OTHERWISE)
        shared[record : record + _OUT_BYTES] = self._data[_OUT : _OUT + _OUT_BYTES]
        shared[record + _OUT_BYTES : record + _RECORD] = self._page


def _outcome(number: int, shared: mmap.mmap) -> Outcome:
    """What the child left of snippet `number`."""
    at = _AT + number * _RECORD
    *registers, cf, zf, sf, less = struct.unpack_from("<16Q4B", shared, at)
    page = shared[at + _OUT_BYTES : at + _RECORD]
    return Outcome(FINISHED, tuple(registers), Flags(cf, zf, sf, sf ^ less), page)
