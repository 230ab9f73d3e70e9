"""The four calls to the kernel that the runtime needs, through ctypes: map, protect, forget, and nothing else.

Trusted base: the kernel's mappings are what they say. Everything here works in whole pages and raises
MemoryUnavailable with the kernel's reason.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import sys
import weakref

from runtime.errors import MemoryUnavailable

READ_WRITE = mmap.PROT_READ | mmap.PROT_WRITE
READ_EXECUTE = mmap.PROT_READ | mmap.PROT_EXEC
NO_ACCESS = 0
_NORESERVE = 0x4000 if sys.platform == "linux" else 0x40

_libc = ctypes.CDLL(None, use_errno=True)
_mmap = _libc.mmap
_mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long)
_mmap.restype = ctypes.c_void_p
_munmap = _libc.munmap
_munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
_mprotect = _libc.mprotect
_mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
_madvise = _libc.madvise
_madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
_DONTNEED = 4
_MAP_FAILED = (1 << 64) - 1


class Reservation:
    """A range of address space without memory behind it, until parts are protected otherwise.

    `view` covers all of it: touching a part that is not readable kills the process, so only the owner slices it.
    The range is unmapped when the reservation is collected; whoever keeps a slice keeps the reservation too.
    """

    # The module `mmap` cannot do this: it has no writable buffer over a mapping that is not writable yet.

    def __init__(self, size: int, wish: int | None = None) -> None:
        """`wish`: the address to ask the kernel for, which it grants where nothing else lies. Without: it chooses."""
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NORESERVE
        address = _mmap(wish, size, NO_ACCESS, flags, -1, 0)
        if address is None or address == _MAP_FAILED:
            reason = os.strerror(ctypes.get_errno())
            raise MemoryUnavailable(f"cannot reserve {size} bytes of address space: {reason} (ulimit -v?)")
        self.size = size
        self.address: int = address
        self.view = memoryview((ctypes.c_char * size).from_address(address)).cast("B")
        weakref.finalize(self, _munmap, address, size)

    def protect(self, offset: int, size: int, protection: int) -> None:
        """Change the protection of [offset, offset + size)."""
        if size and _mprotect(self.address + offset, size, protection):
            reason = os.strerror(ctypes.get_errno())
            raise MemoryUnavailable(f"mprotect of {size} bytes: {reason} (vm.max_map_count, or memory limits?)")

    def forget(self, offset: int, size: int) -> None:
        """Give the pages of [offset, offset + size) back; they read as zeros afterwards."""
        if size and _madvise(self.address + offset, size, _DONTNEED):
            raise MemoryUnavailable(f"madvise of {size} bytes: {os.strerror(ctypes.get_errno())}")
