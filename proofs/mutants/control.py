"""Control that goes elsewhere, frames that are not, records that lack something, and polls that do not poll."""

from __future__ import annotations

from proofs.mutants.mutant import Mutant


def _control(name: str, old: str, new: str, case: str, by: str = "gate.contract") -> Mutant:
    return Mutant(f"control.{name}", "jit.macros.control", old, new, (by,), case)


def _poll(name: str, old: str, new: str) -> Mutant:
    return Mutant(f"control.{name}", "jit.macros.control", old, new, ("gate.preempt",), "macros that poll")


MUTANTS = (
    _poll("poll", "JumpIf(Cond.S, Leave(Exit.PREEMPTED))", "JumpIf(Cond.E, Leave(Exit.PREEMPTED))"),
    _poll("poll-looks", "TestReg(32, COUNT, COUNT), out", "TestReg(64, COUNT, COUNT), out"),
    _poll("poll-counts", "AluImm8(Alu.SUB, 32, COUNT, 1)", "AluImm8(Alu.SUB, 32, COUNT, 2)"),
    _control("poll-stores", "write=counted", "write=False", "Poll", "gate.memory"),
    _control("poll-spoils", "AluImm8(Alu.SUB, 32, COUNT, 1)", "AluImm8(Alu.SUB, 32, CHECKED, 1)", "Poll"),
    _control("helper-pc", "StoreImm(4, Mem(PC), PcPlus(0))", "StoreImm(4, Mem(PC), PcPlus(1))", "CallHelper"),
    _control("goto-elsewhere", "return (Jump(Ahead(self.distance)),)", "return (Jump(Ahead(self.distance + 1)),)",
             "Goto"),
    _control("deepest-frame", "layout.frame_top(layout.frames - 1)", "layout.frame_top(layout.frames)", "CallLocal"),
    _control("record-pc", "COUNT), PcPlus(1))", "COUNT), PcPlus(0))", "CallLocal"),
    _control("record-order", "Store(8, Mem(record + SAVED + 8 * i, COUNT), reg)",
             "Store(8, Mem(record + SAVED + 8 * (3 - i), COUNT), reg)", "CallLocal"),
    _control("restored-order", "Load(8, reg, Mem(record + SAVED + 8 * i, COUNT))",
             "Load(8, reg, Mem(record + SAVED + 8 * (3 - i), COUNT))", "Return"),
    _control("return-address", "Store(8, Mem(record + RETURN_NATIVE, COUNT), CHECKED)",
             "Store(8, Mem(record + RETURN_NATIVE, COUNT), FRAME)", "CallLocal"),
    _control("another-callee", "JumpTable(Callee(self.distance))", "JumpTable(Callee(0))", "CallLocal"),
    _control("next-frame", "alu_imm(Alu.ADD, 32, FRAME, layout.frame_stride)",
             "alu_imm(Alu.ADD, 32, FRAME, 2 * layout.frame_stride)", "CallLocal"),
    _control("frame-mask", "alu_imm(Alu.AND, 32, FRAME, -stack_bytes - 1),\n", "", "CallLocal", "gate.speculative"),
    _control("previous-frame", "alu_imm(Alu.SUB, 32, FRAME, layout.frame_stride)",
             "alu_imm(Alu.SUB, 32, FRAME, 2 * layout.frame_stride)", "Return"),
    _control("frame-base", "alu_imm(Alu.OR, 32, FRAME, layout.stack_low)",
             "alu_imm(Alu.OR, 32, FRAME, 0)", "Return"),
    _control("finishes-early", "JumpIf(Cond.E, Stub(Exit.FINISHED))", "JumpIf(Cond.AE, Stub(Exit.FINISHED))",
             "Return"),
    _control("call-not-resumed", "resumes_behind=True,\n            frame=FrameEffect.PUSH",
             "resumes_behind=False,\n            frame=FrameEffect.PUSH", "macros that call", "gate.compose"),
    _control("call-falls-through", "falls_through=False,\n            resumes_behind=True,\n            frame",
             "falls_through=True,\n            resumes_behind=True,\n            frame", "macros that call",
             "gate.compose"),
    _control("call-without-frame", "frame=FrameEffect.PUSH", "frame=FrameEffect.SAME", "macros that call",
             "gate.compose"),
    _control("return-falls-through", "falls_through=False,\n            frame",
             "falls_through=True,\n            frame", "macros that call", "gate.compose"),
)  # fmt: skip
