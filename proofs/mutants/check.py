"""A gate that overlooks one thing: about a macro, or about the order of macros."""

from __future__ import annotations

from proofs.mutants.mutant import Mutant


def _flow(name: str, old: str, new: str, case: str) -> Mutant:
    return Mutant(f"check.{name}", "jit.check", old, new, ("gate.preempt",), case)


def _check(name: str, old: str, new: str, case: str, by: str = "gate.memory") -> Mutant:
    return Mutant(f"check.{name}", "jit.check", old, new, (by,), case)


MUTANTS = (
    _check("reads-scratch", "_MAY_READ: Final = frozenset(GUEST)", "_MAY_READ: Final = frozenset((*GUEST, *SCRATCH))",
           "Move", "gate.contract"),
    _check("writes-r10", "frozenset((*GUEST, *SCRATCH)) - {FRAME}", "frozenset((*GUEST, *SCRATCH))", "Negate",
           "gate.contract"),
    _check("writes-rsp", "frozenset((*GUEST, *SCRATCH)) - {FRAME}", "frozenset(range(16)) - {FRAME}", "MoveImm",
           "gate.contract"),
    _check("divides-by-zero", "not 0 < divisor[0]", "not 0 <= divisor[0]", "DivideImm"),
    _check("divides-by-minus-one", "< divisor[0] <= divisor[1]:",
           "< divisor[0] <= divisor[1] + 1:", "DivideImm"),
    _check("frame-end", "<= touch.disp <= -touch.size", "<= touch.disp <= 1 - touch.size", "StoreImmTo"),
    _check("frame-start", "-layout.frame_bytes <= touch.disp", "-layout.frame_bytes <= touch.disp + 1", "StoreImmTo"),
    _check("frame-alignment", "if touch.disp % touch.aligned:", "if touch.disp % 2:", "AtomicExchange"),
    _check("stores-to-read-only", "if probe.region is _READ_ONLY and probe.write:", "if probe.region is None:",
           "CheckAny"),
    _check("stack-is-flat", "if probe.flat and probe.region is _STACK:", "if probe.region is None:", "CheckFlat"),
    _check("counts-from", "probe.low != span.low", "probe.low > span.low", "CheckFlat"),
    _check("beyond-the-room", "if probe.size > CLAMP_ROOM:", "if probe.size > 2 * CLAMP_ROOM:", "CheckFlat",
           "gate.speculative"),
    _check("no-bytes", "if not 0 < probe.size <= limit:", "if not 0 <= probe.size <= limit:", "CheckStack"),
    _check("more-than-the-region", "< probe.size <= limit:", "< probe.size <= limit + 1:", "CheckFlat"),
    _check("more-than-the-frame", "layout.frame_bytes if probe.region is _STACK else span.size", "span.size",
           "CheckStack"),
    _check("not-covered", "flow.approved is None or not flow.approved.covers(touch.needed)",
           "flow.approved is None", "StoreImmTo"),
    _check("uses-unnoticed", "flow.borrows = True", "flow.borrows = False", "StoreImmTo", "gate.contract"),
    _check("more-aligned", "_replace(aligned=contract.aligns)", "_replace(aligned=2 * contract.aligns)",
           "CheckAligned"),
    _check("overwritten", "elif CHECKED in contract.writes or contract.frame", "elif contract.frame", "DivideImm"),
    _flow("order", "if pc <= flow.pc:", "if pc < flow.pc:", "a block with 0"),
    _flow("resumes", "if pc != flow.pc + 1:", "if pc < flow.pc + 1:", "a block with 0"),
    _flow("resumes-noted", "if contract.resumes_behind:", "if contract.resumes_behind and contract.falls_through:",
          "a macro that stays"),
    _flow("label", "if pc in labels or not flow.reachable:", "if not flow.reachable:", "a block with 0"),
    _flow("behind-a-jump", "if pc in labels or not flow.reachable:", "if pc in labels:", "a block with 0"),
    _flow("new-block", "flow.begun = flow.polled = flow.borrows = False", "flow.begun = flow.borrows = False",
          "a block with 0"),
    _flow("late-poll", "        if flow.begun:\n", "        if flow.begun and flow.polled:\n", "a macro that stays"),
    _flow("polled", "flow.begun, flow.polled = True, contract.polls", "flow.begun, flow.polled = True, True",
          "a macro that stays"),
    _flow("backward", "if target.distance <= 0 and", "if target.distance < 0 and", "a macro that jumps"),
    _flow("backward-poll", "<= 0 and not flow.polled:", "<= 0 and not flow.begun:", "a macro that jumps"),
    _flow("jump", "if pc not in targets.places:", "if pc not in targets.labels and pc not in targets.places:",
          "a macro that jumps"),
    _flow("unknown-label", "if pc not in targets.labels:", "if pc not in targets.places:", "a macro that jumps"),
    _flow("callee", "flow.pc + target.distance not in targets.function_starts",
          "flow.pc + target.distance not in targets.places", "a macro that calls"),
    _flow("falls-through", "flow.reachable = contract.falls_through",
          "flow.reachable = contract.falls_through or contract.resumes_behind", "a macro that stays"),
    _flow("dead-code", "        if not flow.reachable:\n            raise GateRefused(\"follows",
          "        if flow.resumes:\n            raise GateRefused(\"follows", "a macro that stays"),
    _flow("joined-label", "            if joined:\n                raise",
          "            if joined and pc not in labels:\n                raise", "a block with 0"),
    _flow("uses", "if flow.since != flow.pc:\n                flow.borrows", "if flow.since < flow.pc - 1:\n"
          "                flow.borrows", "a block whose macro stays"),
    _flow("checked-here", "        flow.since = flow.pc\n", "        flow.since = -1\n", "a macro that stays"),
    _flow("poll-keeps", "    if contract.polls:  # a guest", "    if contract.polls and contract.writes:  # a guest",
          "a macro that stays"),
    _flow("passes", "_NOTHING if flow.approved is None else _PASSES)\n        else",
          "_NOTHING)\n        else", "a block with 0"),
    _flow("passes-on", "_NOTHING if flow.approved is None or flow.since == pc else _PASSES", "_NOTHING",
          "a block whose macro stays"),
    _flow("entry", "        if entry is _BORROWS:\n", "        if entry is _JOINED:\n", "a block that uses it"),
    _flow("entry-behind", "        elif entry is _NOTHING:\n", "        else:\n", "a block that leaves it"),
    _flow("entry-joined", "not needed and entry is not _JOINED", "not needed", "a block that has no own"),
    _flow("quiet", "quiet = quiet and contract.is_quiet()", "quiet = contract.is_quiet()", "how a block is judged"),
    _flow("end", "if flow.pc >= function.end:", "if flow.pc > function.end:", "the end"),
    _flow("falls-off", "    if flow.reachable:\n", "    if flow.reachable and flow.begun:\n", "the end"),
    _flow("start-poll", "not contracts or not contracts[0].polls", "not contracts", "the start"),
    _flow("start", "blocks[0].pc != function.start", "blocks[0].pc < function.start", "the start"),
)  # fmt: skip
