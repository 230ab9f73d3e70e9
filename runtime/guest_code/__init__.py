"""Programs that ship as eBPF objects, built from the C beside them by `tools/build_guest_code.py`.

They are guest code like any other: linked, validated, checked and preempted. Nothing here is trusted.
"""

from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from validator.reach import Reached, reach

MEMORY_FUNCTIONS = files(__name__).joinpath("memory_functions.o").read_bytes()
"""A library for `validator.link`: memcpy, memmove, memset, memcmp, strlen."""


@cache
def libraries() -> tuple[Reached, ...]:
    """What every object is linked with, read once: reading takes half as long as a small object's whole load."""
    return (reach(MEMORY_FUNCTIONS), *_one_by_one("text_functions.o"), *_one_by_one("format_functions.o"))


def _one_by_one(name: str) -> Iterator[Reached]:
    """A library of its own for each section, which needs no other: a program takes only the functions that it calls."""
    whole = reach(files(__name__).joinpath(name).read_bytes())
    for index, section in whole.sections.items():
        yield Reached({index: section}, tuple(each for each in whole.functions if each.section == index))
