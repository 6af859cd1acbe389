"""Points guided along lines and in planes."""

from __future__ import annotations

import numpy as np

from ...infrastructure.lazy_dataclasses import dataclass
from ..geometry.axes import Axis, named, normals, unit_axis
from .closure import Pair
from .conditions import Conditions


@dataclass(frozen=True)
class OnLine(Pair):
    """The point of b moves along a line fixed in a, through a's point and along `axis` of the frame on a.

    Raises ModelError for an invalid axis.
    """

    axis: Axis = "x"

    def __post_init__(self) -> None:
        unit_axis(self.axis)

    def conditions(self, frame: int | None, thing: str) -> Conditions:
        return _no_translation(*normals(np.array(unit_axis(self.axis))))


@dataclass(frozen=True)
class OnPlane(Pair):
    """The point of b moves in a plane fixed in a, through a's point and normal to `normal` of the frame on a.

    Raises ModelError for an invalid normal.
    """

    normal: Axis = "z"

    def __post_init__(self) -> None:
        unit_axis(self.normal)

    def conditions(self, frame: int | None, thing: str) -> Conditions:
        return _no_translation(np.array(unit_axis(self.normal)))


def _no_translation(*axes: np.ndarray) -> Conditions:
    """Return the conditions that b's point does not move along these axes of a, relative to a's point."""
    conditions = Conditions()
    for axis in axes:
        conditions.add(conditions.gap().dot(conditions.vector(0, axis)), f"translation along {named(axis)}", "m")
    return conditions
