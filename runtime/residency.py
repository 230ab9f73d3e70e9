"""Which pages of this process are really there, as /proc/self/pagemap has it. For figures, never for decisions.

A page that was never touched takes no memory, however much of it a guest may use.
"""

from __future__ import annotations

from pathlib import Path

from jit.layout import PAGE

_PAGEMAP = Path("/proc/self/pagemap")
_ENTRY_BYTES = 8  # for each page, little-endian
_THERE = 0xC0  # of an entry's last byte: in memory, or in swap


def resident_bytes(address: int, size: int) -> int | None:
    """Of the pages that begin in [address, address + size), those that exist; None where the kernel does not tell."""
    first, pages = address // PAGE, size // PAGE
    try:
        with _PAGEMAP.open("rb", buffering=0) as file:
            file.seek(first * _ENTRY_BYTES)
            entries = file.read(pages * _ENTRY_BYTES)
    except OSError:
        return None
    if len(entries) < pages * _ENTRY_BYTES:
        return None
    return PAGE * sum(bool(last & _THERE) for last in entries[_ENTRY_BYTES - 1 :: _ENTRY_BYTES])
