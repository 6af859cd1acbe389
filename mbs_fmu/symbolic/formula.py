"""A joint's own formulas: the origin and rotation of its frame as expressions of coordinates, time and parameters."""

from __future__ import annotations

from collections.abc import Sequence

from ..lazy_dataclasses import dataclass
from .expressions import Expression


@dataclass(frozen=True)
class Own:
    """The joint's k-th coordinate, from 0."""

    k: int

    def __str__(self) -> str:
        return f"q[{self.k + 1}]"


@dataclass(frozen=True, eq=False)
class Formula:
    """position: origin in the axes of the joint's place; rotation: row by row, body to place. units: of coordinates."""

    units: tuple[str, ...]
    position: Sequence[Expression]
    rotation: Sequence[Expression]

    @property
    def expressions(self) -> list[Expression]:
        return [*self.position, *self.rotation]
