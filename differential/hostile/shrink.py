"""A smaller input with the same problem, or one that is nearer to the object that it is a damaged copy of."""

from __future__ import annotations

from collections.abc import Callable

from differential.hostile.inputs import Given

MOST_TRIES = 250  # each in a process of its own


def shrunk(given: Given, has_problem: Callable[[Given], bool]) -> Given:
    """`given`, with damage undone, parts left out and bytes zeroed as long as it `has_problem`."""
    left = MOST_TRIES

    def still(data: bytes) -> bool:
        nonlocal left
        left -= 1
        return left >= 0 and data != given.data and has_problem(given._replace(data=data))

    if given.origin is not None and len(given.origin) == len(given.data):
        given = given._replace(data=_undone(given.data, given.origin, still))
    for unit in (8, 1):  # whole instructions first
        given = given._replace(data=_without_parts(given.data, unit, still))
    if given.origin is not None and len(given.origin) == len(given.data):
        return given  # zeros would be differences
    return given._replace(data=_undone(given.data, bytes(len(given.data)), still))


def _undone(data: bytes, other: bytes, still: Callable[[bytes], bool]) -> bytes:
    """As many bytes as possible as they are in `other`: halves, quarters and so on."""
    size = len(data)
    while size >= 1:
        for low in range(0, len(data), size):
            tried = data[:low] + other[low : low + size] + data[low + size :]
            if tried != data and still(tried):
                data = tried
        size //= 2
    return data


def _without_parts(data: bytes, unit: int, still: Callable[[bytes], bool]) -> bytes:
    """Ends first, then parts within."""
    size = len(data) // 2 // unit * unit
    while size >= unit:
        low = len(data) - size
        while low >= 0:
            tried = data[:low] + data[low + size :]
            if still(tried):
                data = tried
            low -= size
        size = size // 2 // unit * unit
    return data


def differences(given: Given, most: int = 12) -> list[str]:
    """Where a damaged copy differs from its origin, or all of it if it is short."""
    if given.origin is not None and len(given.origin) == len(given.data):
        changed = [at for at, (new, old) in enumerate(zip(given.data, given.origin, strict=True)) if new != old]
        shown = [f"byte {at:#x}: {given.origin[at]:#04x} -> {given.data[at]:#04x}" for at in changed[:most]]
        return [*shown, f"({len(changed) - most} more)"] if len(changed) > most else shown
    return [given.data[:1024].hex() + (f"... ({len(given.data)} bytes)" if len(given.data) > 1024 else "")]
