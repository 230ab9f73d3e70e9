"""Macro instructions: one idea of generated code each, between eBPF and x86.

A macro says what it does in three ways: its docstring, its `contract` (all that the gate reads) and its `expand`
(the x86 sequence). The theorems gate.* prove, once for all macros, that the expansion keeps the contract;
isa.refines proves that the sequences that `lower` chooses compute what the reference semantics says.
"""

from jit.macros.arithmetic import (
    AddressOffset,
    AddressSum,
    BinaryImm,
    BinaryReg,
    ByteOrder,
    Move,
    MoveImm,
    Multiply,
    MultiplyImm,
    Negate,
    Rotate,
    ShiftBy,
    ShiftByReg,
    SignExtend,
)
from jit.macros.atomics import AtomicExchange, AtomicFetchAdd, AtomicFetchLogic, AtomicUpdate, CompareExchange
from jit.macros.contract import Contract
from jit.macros.control import BranchImm, BranchReg, CallHelper, CallLocal, Goto, Interpret, Poll, Return
from jit.macros.division import Divide, DivideImm
from jit.macros.memory import CheckAligned, CheckAny, CheckFlat, CheckStack, LoadFrom, StoreImmTo, StoreTo

Macro = (
    Move
    | MoveImm
    | BinaryReg
    | BinaryImm
    | AddressOffset
    | AddressSum
    | Multiply
    | MultiplyImm
    | ShiftBy
    | ShiftByReg
    | Rotate
    | Negate
    | SignExtend
    | ByteOrder
    | Divide
    | DivideImm
    | CheckFlat
    | CheckStack
    | CheckAny
    | CheckAligned
    | LoadFrom
    | StoreTo
    | StoreImmTo
    | AtomicUpdate
    | AtomicFetchAdd
    | AtomicFetchLogic
    | AtomicExchange
    | CompareExchange
    | Poll
    | Goto
    | BranchReg
    | BranchImm
    | CallHelper
    | CallLocal
    | Return
    | Interpret
)

MACROS: tuple[type, ...] = Macro.__args__

__all__ = [
    "MACROS",
    "AddressOffset",
    "AddressSum",
    "AtomicExchange",
    "AtomicFetchAdd",
    "AtomicFetchLogic",
    "AtomicUpdate",
    "BinaryImm",
    "BinaryReg",
    "BranchImm",
    "BranchReg",
    "ByteOrder",
    "CallHelper",
    "CallLocal",
    "CheckAligned",
    "CheckAny",
    "CheckFlat",
    "CheckStack",
    "CompareExchange",
    "Contract",
    "Divide",
    "DivideImm",
    "Goto",
    "Interpret",
    "LoadFrom",
    "Macro",
    "Move",
    "MoveImm",
    "Multiply",
    "MultiplyImm",
    "Negate",
    "Poll",
    "Return",
    "Rotate",
    "ShiftBy",
    "ShiftByReg",
    "SignExtend",
    "StoreImmTo",
    "StoreTo",
]
