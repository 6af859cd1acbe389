"""Roads: surfaces whose height and slopes are functions of a place in the plane below."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from ..symbolic.expressions import Expression
from .geometry.vectors import Vector


class Relief(NamedTuple):
    """Height of a surface, m, and its slopes along x and y, at one place."""

    height: Expression
    slope_x: Expression
    slope_y: Expression


class Road(Protocol):
    """A surface z = height(x, y) in axes of its own."""

    def place(self) -> tuple[Vector, np.ndarray]:
        """Return the position of the origin, m, body axes, and the rotation from the road's own axes to body axes."""

    def relief(self, x: Expression, y: Expression) -> Relief:
        """Return height and slopes at a place, m, in the road's own axes."""
