"""Where a guest's memory lies, in guest addresses, and which of its bytes an access may touch.

    native                 guest address     content
    base - context_bytes   (none)            context: saved registers, pc, fuel, shadow call stack (`jit.context`)
    base + 0               0 .. 64 KiB       nothing: null pointers fault
    base + read_only_low   read_only_low     .rodata: loads only
    base + writable_low    writable_low      .data and .bss
    base + stack_low       stack_low         frame k = [stack_low + k * frame_stride, + frame_bytes); r10 is its end
    base + calldata_low    calldata_low      the input, `mem`: r1 at entry
    base + slot_bytes                        end; CLAMP_ROOM more is reserved for clamped accesses that begin before it

Decides: the addresses (`plan`), whether an access is allowed (`may_access`), which range a host helper may see
(`host_span`), and whether a concrete placement satisfies what the proofs assume (`hypothesis_violation`).
Trusts nothing but its arguments. Trusted by the passes, the reference semantics, the runtime and the theorems.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

PAGE = 4096
NULL_BYTES = 0x10000  # never mapped for the guest
REACH = 32768 + 8  # no r10-relative displacement reaches this far beyond a frame (16-bit offset + widest access)
CLAMP_ROOM = 17 * PAGE  # >= 65535 + 8 bytes: as far as two accesses off one base can lie apart that share a check
ADDRESS_LIMIT = 1 << 30  # every guest address fits a signed 32-bit displacement, with room for a 16-bit offset
RECORD_BYTES = 64  # one shadow call stack record: native return address, return pc, r6 to r9
CONTEXT_HOT_BYTES = 128  # saved registers, pc, fuel: reached with 8-bit displacements


class Region(Enum):
    """A kind of guest memory that one check covers."""

    __hash__ = object.__hash__  # members are single objects; Enum hashes their names, 0.1 us each time

    READ_ONLY = "read-only data"
    WRITABLE = "writable data"
    STACK = "stack"
    CALLDATA = "calldata"


# to look a member up in its class takes 0.07 us
_READ_ONLY: Final = Region.READ_ONLY
_WRITABLE: Final = Region.WRITABLE
_CALLDATA: Final = Region.CALLDATA


@dataclass(frozen=True, slots=True)
class Profile:
    """The part of a layout that the embedder chooses. `frames` is a power of two and counts the entry frame."""

    frame_bytes: int = 4096
    frames: int = 8


LOOP_PROFILE = Profile()
# Bytes from frame to frame. The theorems gate.* are about all layouts with these strides: those of every profile with
# frames of up to 28 KiB. Guests with larger frames run as well; for them the gate is tested, not proved.
PROVED_STRIDES = (1 << 16,)


@dataclass(frozen=True, slots=True)
class Span:
    """The guest addresses [low, low + size)."""

    low: int
    size: int


@dataclass(frozen=True, slots=True)
class Layout:
    """All constants that compiled code depends on. Sizes in bytes, lows are guest addresses."""

    read_only: Span
    writable: Span
    stack_low: int
    frame_bytes: int
    frame_stride: int  # power of two
    frames: int  # power of two
    calldata: Span
    slot_bytes: int  # power of two; no guest address is larger
    context_bytes: int

    def span(self, region: Region) -> Span:
        """The addresses of a flat region. The stack is not flat: ask `may_access`."""
        if region is _WRITABLE:
            return self.writable
        if region is _CALLDATA:
            return self.calldata
        if region is _READ_ONLY:
            return self.read_only
        return Span(self.stack_low, self.frames * self.frame_stride)

    def frame_top(self, depth: int) -> int:
        """r10 in the frame at `depth`; the entry frame has depth 0."""
        return self.stack_low + depth * self.frame_stride + self.frame_bytes

    def depth(self, frame_top: int) -> int:
        """The inverse of `frame_top`."""
        return (frame_top - self.frame_bytes - self.stack_low) // self.frame_stride


class LayoutRefused(ValueError):
    """The sizes do not fit the guest's address space or the context; the message names the number and its limit."""


def power_of_two(size: int) -> int:
    """The smallest power of two that is >= size, and >= 1."""
    return 1 << max(size - 1, 0).bit_length()


def aligned(address: int, alignment: int) -> int:
    """The smallest multiple of `alignment` that is >= address."""
    return -(-address // alignment) * alignment


def data_lows(read_only_size: int) -> tuple[int, int]:
    """The first addresses of the read-only and the writable region: all that the linker has to know."""
    read_only_end = NULL_BYTES + power_of_two(max(read_only_size, PAGE))
    return NULL_BYTES, aligned(read_only_end + PAGE, NULL_BYTES)


def plan(
    read_only_size: int = 0, writable_size: int = 0, calldata_size: int = 0, profile: Profile = LOOP_PROFILE
) -> Layout:
    """A layout for regions of these sizes in bytes. Raises LayoutRefused."""
    if profile.frames < 1 or profile.frames & (profile.frames - 1):
        raise LayoutRefused(f"{profile.frames} frames: the number of frames must be a power of two")
    if profile.frame_bytes % PAGE or profile.frame_bytes < PAGE:
        raise LayoutRefused(f"frames of {profile.frame_bytes} bytes: a frame must be a multiple of {PAGE} bytes")
    if read_only_size < 0 or writable_size < 0 or calldata_size < 0:
        raise LayoutRefused("a region's size must not be negative")
    frame_stride = power_of_two(max(profile.frame_bytes + REACH, NULL_BYTES))
    stack_span = profile.frames * frame_stride
    read_only_low, writable_low = data_lows(read_only_size)
    writable_end = writable_low + power_of_two(max(writable_size, PAGE))
    stack_low = aligned(writable_end + PAGE, 2 * stack_span)
    calldata_low = stack_low + stack_span + NULL_BYTES
    end = calldata_low + power_of_two(max(calldata_size, PAGE))
    if end > ADDRESS_LIMIT:
        raise LayoutRefused(f"the guest's memory would end at {end:#x}, the limit is {ADDRESS_LIMIT:#x}")
    context_bytes = aligned(profile.frames * RECORD_BYTES + CONTEXT_HOT_BYTES, PAGE)
    return Layout(
        read_only=Span(read_only_low, read_only_size),
        writable=Span(writable_low, writable_size),
        stack_low=stack_low,
        frame_bytes=profile.frame_bytes,
        frame_stride=frame_stride,
        frames=profile.frames,
        calldata=Span(calldata_low, calldata_size),
        slot_bytes=power_of_two(end),
        context_bytes=context_bytes,
    )


def flat_regions(write: bool) -> tuple[Region, ...]:
    """The regions, other than the stack, that such an access may touch."""
    return _STORED if write else _LOADED


_STORED: Final = (_WRITABLE, _CALLDATA)
_LOADED: Final = (_WRITABLE, _CALLDATA, _READ_ONLY)


def in_span(span: Span, address: int, size: int) -> bool:
    """Whether [address, address + size) lies inside `span`. No sum is formed that could wrap."""
    return size <= span.size and span.low <= address and address - span.low <= span.size - size


def in_live_frame(layout: Layout, frame_top: int, address: int, size: int) -> bool:
    """Whether [address, address + size) lies inside one frame that is live when r10 = `frame_top`.

    Frames of callees that have returned are above `frame_top` and dead: a pointer into one faults.
    """
    if not layout.stack_low <= address < frame_top:
        return False
    return (address - layout.stack_low) % layout.frame_stride <= layout.frame_bytes - size


def may_access(layout: Layout, frame_top: int, address: int, size: int, write: bool) -> bool:
    """Whether guest code may load (or store, if `write`) `size` bytes at guest address `address` (0 .. 2^64 - 1)."""
    for region in flat_regions(write):
        if in_span(layout.span(region), address, size):
            return True
    return in_live_frame(layout, frame_top, address, size)


def in_current_frame(layout: Layout, offset: int, size: int) -> bool:
    """Whether [r10 + offset, + size) lies inside the frame that r10 is the end of. `offset` is an instruction's.

    If not, guest code may not access it: frames are so far apart that no displacement reaches another.
    """
    return -layout.frame_bytes <= offset <= -size


def host_span(layout: Layout, frame_top: int, pointer: int, length: int, write: bool) -> Span | None:
    """The region or live frame that holds all of [pointer, pointer + length), which a host helper may read (or write).

    No range is listed: a guest may have thousands of frames, and each call of a helper has its own r10.
    """
    for region in flat_regions(write):
        span = layout.span(region)
        if in_span(span, pointer, length):
            return span
    if in_live_frame(layout, frame_top, pointer, length):
        return Span(pointer - (pointer - layout.stack_low) % layout.frame_stride, layout.frame_bytes)
    return None


def host_spans(layout: Layout, frame_top: int, write: bool) -> tuple[Span, ...]:
    """What `host_span` accepts, listed for people."""
    frames = tuple(
        Span(layout.stack_low + k * layout.frame_stride, layout.frame_bytes) for k in range(layout.depth(frame_top) + 1)
    )
    return tuple(layout.span(region) for region in flat_regions(write)) + frames


@dataclass(frozen=True, slots=True)
class Placement:
    """The concrete addresses of one invocation, in native bytes."""

    base: int  # of guest address 0
    reserved_low: int  # first byte that belongs to this guest alone
    reserved_high: int  # one past the last
    code_low: int  # the code arena, stubs and function table included
    code_high: int
    frame_top: int  # r10 with which the guest will be entered


def hypothesis_violation(layout: Layout, placement: Placement) -> str | None:
    """What the proofs assume of a placement and this one lacks, or None. Evaluated before every invocation."""
    base = placement.base
    if base % PAGE:
        return "the cage base is not page-aligned"
    if base - layout.context_bytes < placement.reserved_low:
        return "the context lies outside the guest's reservation"
    if base + layout.slot_bytes + CLAMP_ROOM > placement.reserved_high:
        return "the slot is larger than the guest's reservation"
    if not 0 < placement.reserved_low < placement.reserved_high <= 1 << 47:
        return "the reservation is not in user space"
    if placement.code_low < placement.reserved_high and placement.reserved_low < placement.code_high:
        return "the reservation overlaps the code arena"
    if not 0 <= placement.code_high - placement.code_low < 1 << 31:
        return "the code arena is larger than a 32-bit displacement reaches"
    if layout.slot_bytes & (layout.slot_bytes - 1) or layout.slot_bytes > ADDRESS_LIMIT:
        return "the slot size is not a power of two below the address limit"
    if layout.frames & (layout.frames - 1) or layout.frames < 1:
        return "the number of frames is not a power of two"
    if layout.frame_stride & (layout.frame_stride - 1) or layout.frame_stride < layout.frame_bytes + REACH:
        return "the frame stride is not a power of two that no displacement crosses"
    if layout.frame_bytes % PAGE or layout.frame_bytes < PAGE:
        return "the frame is not a whole number of pages"
    stack_bytes = layout.frames * layout.frame_stride
    if layout.stack_low % (2 * stack_bytes):
        return "the stack is not aligned to twice its size"
    if layout.frames * RECORD_BYTES + CONTEXT_HOT_BYTES > layout.context_bytes:
        return "the context has no room for the shadow call stack"
    if layout.context_bytes > ADDRESS_LIMIT:
        return "the context is larger than a 32-bit displacement reaches"
    if layout.read_only.low < NULL_BYTES or layout.read_only.low + layout.read_only.size > layout.writable.low:
        return "the read-only region overlaps the null page or the writable region"
    if layout.writable.low + layout.writable.size > layout.stack_low:
        return "the writable region overlaps the stack"
    stack_end = layout.stack_low + stack_bytes
    if layout.calldata.low < stack_end + REACH - layout.frame_stride + layout.frame_bytes:
        return "calldata is within reach of a frame-relative displacement"
    if layout.calldata.low < stack_end or layout.calldata.low + layout.calldata.size > layout.slot_bytes:
        return "calldata overlaps the stack or the end of the slot"
    if (layout.read_only.low | layout.writable.low | layout.calldata.low) % PAGE:
        return "a region does not start on a page"
    if layout.read_only.size < 0 or layout.writable.size < 0 or layout.calldata.size < 0:
        return "a region has a negative size"
    if (placement.frame_top - layout.frame_bytes - layout.stack_low) % layout.frame_stride:
        return "r10 is not the end of a frame"
    if not 0 <= layout.depth(placement.frame_top) < layout.frames:
        return "r10 lies outside the stack"
    for span in (layout.read_only, layout.writable, layout.calldata):
        if span.low + power_of_two(span.size) > layout.slot_bytes:
            return "the window of a region, where a clamped access may go, reaches beyond the slot"
    return None
