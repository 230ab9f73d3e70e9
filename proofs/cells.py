"""Memory for theorems about straight-line code whose every address is a known distance from a few unknown bases.

The bases' areas are assumed disjoint: what is stored off one of them leaves the others as they are. An address that is
no constant distance from a base is refused, so a theorem that runs to its end has seen every access.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import z3

from proofs.executor import NotExplored

if TYPE_CHECKING:
    from proofs.values import Values

NEAR = 1 << 12  # bytes around a base that belong to it, where addresses are numbers

@dataclass(frozen=True, slots=True)
class Place:
    """Eight bytes at `offset` from the base called `base`."""

    base: str
    offset: int


@dataclass(slots=True)
class BasedMemory:
    """`simulator.machine.Memory` in eight-byte cells. What was not stored is unknown: one name for each place."""

    bases: dict[str, z3.BitVecRef]
    epochs: dict[str, str] = field(default_factory=dict)  # by base: when its unknowns were last forgotten
    stored: dict[Place, z3.BitVecRef] = field(default_factory=dict)
    accesses: list[tuple[Place, bool]] = field(default_factory=list)

    def place(self, address: z3.BitVecRef) -> Place:
        for name, base in self.bases.items():
            distance = z3.simplify(address - base)
            if z3.is_bv_value(distance):
                offset = distance.as_signed_long()
                if offset % 8:
                    raise NotExplored(f"the cell at {name}{offset:+} is not aligned")
                return Place(name, offset)
        raise NotExplored(f"an access at {z3.simplify(address)}, which is no constant distance from a base")

    def term(self, address: int, direct: bool, values: Values) -> z3.BitVecRef:
        """An address that is a number, as a distance from the base that it is near."""
        for base in self.bases.values():
            distance = (address - values.number(base) + NEAR) % (1 << 64) - NEAR
            if distance < NEAR:
                return base + distance
        raise NotExplored(f"an access at {address:#x}, which is not near a base")

    def apart(self) -> tuple[z3.BoolRef, ...]:
        """That the bases are aligned and far from each other: one way to be disjoint, to which numbers can be found."""
        aligned = [base & 7 == 0 for base in self.bases.values()]
        return (*aligned, *(z3.LShR(base, 40) == 8 * (i + 1) for i, base in enumerate(self.bases.values())))

    def content(self, place: Place) -> z3.BitVecRef:
        return self.stored.get(place, z3.BitVec(f"[{place.base}{place.offset:+}]{self.epochs.get(place.base, '')}", 64))

    def load(self, address: z3.BitVecRef, size: int) -> z3.BitVecRef:
        if size != 8:
            raise NotExplored(f"a load of {size} bytes")
        place = self.place(address)
        self.accesses.append((place, False))
        return self.content(place)

    def store(self, address: z3.BitVecRef, size: int, value: z3.BitVecRef) -> None:
        if size != 8:
            raise NotExplored(f"a store of {size} bytes")
        place = self.place(address)
        self.accesses.append((place, True))
        self.stored[place] = value

    def forget(self, base: str, epoch: str) -> None:
        """Somebody else may have written anything into the area of `base`."""
        self.stored = {place: value for place, value in self.stored.items() if place.base != base}
        self.epochs[base] = epoch
