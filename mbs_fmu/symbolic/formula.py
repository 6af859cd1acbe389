"""Formulas of a joint: origin and rotation of its frame as expressions of coordinates, time and parameters."""

from __future__ import annotations

from collections.abc import Sequence

from ..infrastructure.lazy_dataclasses import dataclass
from .expressions import Expression


@dataclass(frozen=True)
class Own:
    """Reference to the joint's own coordinate k, from 0."""

    k: int

    def __str__(self) -> str:
        return f"q[{self.k + 1}]"


@dataclass(frozen=True, eq=False)
class Formula:
    """Position and orientation of a joint's frame by formulas."""

    units: tuple[str, ...]  #: of the coordinates
    position: Sequence[Expression]  #: origin, in the axes of the joint frame, m
    rotation: Sequence[Expression]  #: nine entries, row by row, body to joint frame

    @property
    def expressions(self) -> list[Expression]:
        return [*self.position, *self.rotation]
