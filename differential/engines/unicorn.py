"""Unicorn, an emulator made of QEMU's translator: somebody else's reading of the manual.

One deviation is corrected here, and only where it happens: after a 32-bit compare-and-exchange that succeeds, Unicorn
2 has cleared the upper half of rax. Processors keep it (SDM 2, CMPXCHG: the destination is written, the accumulator is
not; measured on an AMD EPYC, and checked by every campaign that has the hardware engine).
"""

from __future__ import annotations

from typing import Any

from differential.chunk import Chunk, narrow_exchanges
from differential.engines.missing import EngineMissing
from differential.outcome import ASTRAY, DIVIDE_ERROR, ENDLESS, FINISHED, FLAGS, MEMORY_FAULT, MOST_STEPS, Outcome
from differential.placement import CELL_BYTES, CELLS, END_SLOT, SLOTS, Placement
from differential.snippet import PAGE
from jit.layout import aligned
from jit.registers import Reg
from runtime.arena import TABLE_SLOT
from simulator.machine import Flags

_FLAG_BITS = dict(zip(FLAGS, (0, 6, 7, 11), strict=True))  # SDM 1, figure 3-8
_ALWAYS_SET = 2
_UPPER_HALF = 0xFFFF_FFFF << 32
_DIVIDE_ERROR = 0  # exception vectors, SDM 1, table 6-1
_BREAKPOINT = 3


class Unicorn:
    """See the module. Raises EngineMissing if it is not installed. `record`: whether outcomes tell the accesses."""

    def __init__(self, placement: Placement, record: bool = False) -> None:
        try:
            import unicorn as library
        except ImportError as missing:
            raise EngineMissing("unicorn", f"{missing}; pip install 'salix-jit[differential]'") from missing
        unicorn: Any = library  # its types are those of an older version
        self.version = f"Unicorn {unicorn.__version__}"
        self._library = unicorn
        self._record = record
        self._placement = placement
        names = unicorn.x86_const
        self._registers = [getattr(names, f"UC_X86_REG_{reg.name.upper()}") for reg in Reg]
        self._read = [*self._registers, names.UC_X86_REG_EFLAGS, names.UC_X86_REG_RIP]
        self._eflags, self._rax = names.UC_X86_REG_EFLAGS, self._registers[Reg.rax]
        self._cpu = unicorn.Uc(unicorn.UC_ARCH_X86, unicorn.UC_MODE_64)
        self._cpu.mem_map(placement.arena, aligned(SLOTS * TABLE_SLOT, PAGE))
        self._cpu.mem_map(placement.harness, PAGE + CELLS * CELL_BYTES)
        self._cpu.mem_map(placement.scratch, PAGE)
        self._clean = self._cpu.context_save()  # with no exception pending: a second one would be a double fault
        self._exceptions: list[int] = []
        self._accesses: list[tuple[int, int, bool]] = []
        self._cpu.hook_add(unicorn.UC_HOOK_INTR, self._interrupted)
        if record:
            self._cpu.hook_add(unicorn.UC_HOOK_MEM_READ | unicorn.UC_HOOK_MEM_WRITE, self._accessed)

    def _interrupted(self, cpu: Any, number: int, _: object) -> None:  # noqa: ANN401 - Unicorn's own types
        self._exceptions.append(number)
        cpu.emu_stop()

    def _accessed(self, _: object, kind: int, address: int, size: int, *__: object) -> None:
        self._accesses.append((address, size, kind == self._library.UC_MEM_WRITE))

    def run(self, chunk: Chunk) -> list[Outcome]:
        """One outcome per snippet, in the order of the chunk."""
        self._cpu.mem_write(self._placement.cells, chunk.code)
        self._cpu.ctl_remove_cache(self._placement.cells, self._placement.cells + len(chunk.code))
        self._set_slot(END_SLOT, self._placement.end)
        return [self._run(chunk, number) for number in range(len(chunk.snippets))]

    def _set_slot(self, number: int, address: int) -> None:
        self._cpu.mem_write(self._placement.slot(number), address.to_bytes(TABLE_SLOT, "little"))

    def _run(self, chunk: Chunk, number: int) -> Outcome:
        cpu, snippet = self._cpu, chunk.snippets[number]
        for slot, address in chunk.slots(number).items():
            self._set_slot(slot, address)
        cpu.mem_write(self._placement.scratch, snippet.page)
        eflags = _ALWAYS_SET | sum(getattr(snippet.flags, name) << at for name, at in _FLAG_BITS.items())
        cpu.reg_write_batch([*zip(self._registers, snippet.registers, strict=True), (self._eflags, eflags)])
        self._exceptions.clear()
        self._accesses.clear()
        start = chunk.start(snippet)
        hooks = [self._keep_upper_half(start + begin, start + end) for begin, end in narrow_exchanges(snippet)]
        try:
            cpu.emu_start(start, self._placement.end, count=MOST_STEPS)
        except self._library.UcError as error:
            cpu.context_restore(self._clean)
            if error.errno in (self._library.UC_ERR_READ_UNMAPPED, self._library.UC_ERR_WRITE_UNMAPPED):
                return Outcome(MEMORY_FAULT)
            return Outcome(f"Unicorn: {error}")
        finally:
            for hook in hooks:
                cpu.hook_del(hook)
        if self._exceptions:
            cpu.context_restore(self._clean)
            known = {_DIVIDE_ERROR: DIVIDE_ERROR, _BREAKPOINT: ASTRAY}
            return Outcome(known.get(self._exceptions[0], f"exception {self._exceptions[0]}"))
        *registers, eflags, rip = cpu.reg_read_batch(self._read)
        if rip != self._placement.end:
            return Outcome(ENDLESS)
        flags = Flags(**{name: eflags >> at & 1 for name, at in _FLAG_BITS.items()})
        page = bytes(cpu.mem_read(self._placement.scratch, PAGE))
        accesses = tuple(self._accesses) if self._record else None
        return Outcome(FINISHED, tuple(registers), flags, page, accesses=accesses)

    def _keep_upper_half(self, begin: int, end: int) -> int:
        """A hook around the 32-bit compare-and-exchange at [begin, end): see the module."""
        before: list[int] = []

        def at(cpu: Any, address: int, size: int, _: object) -> None:  # noqa: ANN401 - Unicorn's own types
            if address == begin:
                before[:] = [cpu.reg_read(self._rax)]
            elif address == end and before:
                if cpu.reg_read(self._eflags) >> _FLAG_BITS["zf"] & 1:
                    cpu.reg_write(self._rax, cpu.reg_read(self._rax) | before[0] & _UPPER_HALF)
                before.clear()

        hook: int = self._cpu.hook_add(self._library.UC_HOOK_CODE, at, begin=begin, end=end)
        return hook
