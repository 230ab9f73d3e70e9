"""Programs that ship as eBPF objects, built from the C beside them by `tools/build_guest_code.py`.

They are guest code like any other: linked, validated, checked and preempted. Nothing here is trusted.
"""

from importlib.resources import files

MEMORY_FUNCTIONS = files(__name__).joinpath("memory_functions.o").read_bytes()
"""A library for `validator.link`: memcpy, memmove, memset, memcmp, strlen."""
