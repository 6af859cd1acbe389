"""What a closure demands: conditions g = 0 on points and directions of bodies.

A `Conditions` has what the conditions are written in: world vectors, each the place of a point or the direction of
an axis of one body, with symbols for its three components. Every other formula about a loop (its rows K, their
rates, its wrenches) is derived from these conditions in compile/closures.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...errors import ModelError
from ...symbolic.expressions import Expression, as_expression, leaf
from ..axes import Axis, unit_axis
from ..vectors import Vector

UNITS = ("m", "rad", "")


@dataclass(frozen=True)
class Symbol:
    """Component k of world vector number `vector`; `rate`: of its rate of change."""

    vector: int
    k: int
    rate: bool = False


@dataclass(frozen=True)
class Attached:
    """What a world vector is attached to: `local` is a direction in the axes of side 0 (a) or 1 (b), None its point."""

    side: int
    local: tuple[float, float, float] | None


@dataclass
class Conditions:
    """Conditions of one loop joint, their labels, units ("m" or "rad") and the vectors they are written in."""

    vectors: list[Attached] = field(default_factory=list)
    rows: list[Expression] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    units: list[str] = field(default_factory=list)
    facing: list[Expression] = field(default_factory=list)  #: positive unless the joint closes the other way round

    def vector(self, side: int, local: Axis | np.ndarray | None) -> Vector:
        """The symbols of a point (local None) or direction: an axis by its name, or three numbers."""
        local = unit_axis(local) if isinstance(local, str) else local
        at = Attached(side, None if local is None else (float(local[0]), float(local[1]), float(local[2])))
        if at not in self.vectors:
            self.vectors.append(at)
        return self.symbols(self.vectors.index(at))

    def symbols(self, number: int) -> Vector:
        """The three symbols of a vector."""
        return Vector(leaf(Symbol(number, k)) for k in range(3))

    def gap(self) -> Vector:
        """From a's point to b's."""
        return self.vector(1, None) - self.vector(0, None)

    def add(self, row: Expression, label: str, unit: str) -> None:
        """One more; ModelError for a unit that none of them can have."""
        if unit not in UNITS:
            raise ModelError(f"{label}: a condition can't have the unit {unit!r}: give 'm' or 'rad', or '' for neither")
        self.rows.append(as_expression(row))
        self.labels.append(label)
        self.units.append(unit)
