"""The base of all roads: an origin with axes, coordinates of their own, heights and slopes along these."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from ...infrastructure.errors import ModelError
from ...symbolic.expressions import ONE, ZERO, Expression, atan2, sqrt
from ...symbolic.graph import evaluate, leaves
from ..effects import Check
from ..geometry.poses import placed
from ..geometry.vectors import Vector, number
from .cams import Cams


class Relief(NamedTuple):
    """Height of a road, m, and its slopes along the road's coordinates a and b, at one place."""

    height: Expression
    slope_a: Expression
    slope_b: Expression


class Level(NamedTuple):
    """Height of a road, m, and its slopes along the road's axes x and y, at one place."""

    height: Expression
    slope_x: Expression
    slope_y: Expression


class Chart(NamedTuple):
    """The road's own coordinates of a place: a along the road and b across, to the left, m.

    a_x, a_y, b_x, b_y: their derivatives with respect to x and y, the place in the road's axes.
    """

    a: Expression
    b: Expression
    a_x: Expression
    a_y: Expression
    b_x: Expression
    b_y: Expression

    def level(self, relief: Relief) -> Level:
        """Return a relief at this place with the slopes along the axes x and y."""
        _, slope_a, slope_b = relief
        slope_x = slope_a * self.a_x + slope_b * self.b_x
        return Level(relief.height, slope_x, slope_a * self.a_y + slope_b * self.b_y)

    def direction(self, x: Expression, y: Expression) -> tuple[Expression, Expression]:
        """Return the rates of a and b for a motion of the place with the rates x and y."""
        return self.a_x * x + self.a_y * y, self.b_x * x + self.b_y * y

    def heading(self, x: Expression, y: Expression) -> Expression:
        """Return the angle of a direction x, y relative to the line of constant b, rad, positive to the left."""
        along, across = self.direction(x, y)
        return atan2(across, along / sqrt(self.a_x * self.a_x + self.a_y * self.a_y))


class Road(Protocol):
    """A surface z = height(a, b) over coordinates of its own in the plane z = 0 of its axes.

    parameters: names of the contact parameters, m, that locate a place, such as "u" along a curved line; a tyre NAME
    has them as states NAME.u, which follow the wheel; empty if a and b are functions of x and y.
    """

    @property
    def parameters(self) -> Sequence[str]: ...

    def place(self) -> tuple[Vector, np.ndarray]:
        """Return the position of the origin, m, body axes, and the rotation from the road's own axes to body axes."""

    def chart(self, x: Expression, y: Expression, parameters: Sequence[Expression] = ()) -> Chart:
        """Return the road's coordinates of a place, m, in its axes; parameters: the contact parameters there."""

    def relief(self, a: Expression, b: Expression) -> Relief:
        """Return height and slopes at a place, m, in the road's coordinates."""

    def followed(
        self, place: Sequence[Expression], velocity: Sequence[Expression], parameters: Sequence[Expression]
    ) -> Sequence[Expression]:
        """Return the rates of the contact parameters, m/s, of a place x, y, m, that moves with a velocity, m/s.

        Their errors decay.
        """

    def feet(
        self, place: Sequence[Expression], parameters: Sequence[Expression]
    ) -> Sequence[tuple[Expression, Expression]]:
        """Return a guess of each contact parameter, m, from the place x, y, m, and the change by Newton's method."""

    def checks(
        self, place: Sequence[Expression], parameters: Sequence[Expression], way: Expression, thing: str
    ) -> Sequence[Check]:
        """Return numbers that are positive while the contact parameters locate a place x, y, m, with messages.

        way: m, by which the place may move before they fail. thing: what is at the place.
        """

    def enveloped(self, cams: Cams) -> Road:
        """Return the road of the same kind whose heights are those of the lowest point of a cam that rests on it.

        The cam runs along the first coordinate. Raises ModelError if the heights cannot be dilated.
        """

    def enveloped_across(self, cams: Cams) -> Road | None:
        """Return the same for a cam that runs along the second coordinate; None if the first one serves for both."""


class Cartesian:
    """Base of roads whose coordinates are x and y; roads with other coordinates override its members."""

    parameters: Sequence[str] = ()

    def chart(self, x: Expression, y: Expression, parameters: Sequence[Expression] = ()) -> Chart:
        """Return the road's coordinates of a place, m, in its axes; parameters: the contact parameters there."""
        return Chart(x, y, ONE, ZERO, ZERO, ONE)

    def followed(
        self, place: Sequence[Expression], velocity: Sequence[Expression], parameters: Sequence[Expression]
    ) -> Sequence[Expression]:
        """Return the rates of the contact parameters, m/s; see `Road`."""
        return ()

    def feet(
        self, place: Sequence[Expression], parameters: Sequence[Expression]
    ) -> Sequence[tuple[Expression, Expression]]:
        """Return a guess of each contact parameter, m, and the change by Newton's method, m; see `Road`."""
        return ()

    def checks(
        self, place: Sequence[Expression], parameters: Sequence[Expression], way: Expression, thing: str
    ) -> Sequence[Check]:
        """Return numbers that are positive while the contact parameters locate a place; see `Road`."""
        return ()

    def enveloped_across(self, cams: Cams) -> Road | None:
        """Return the road for a cam that runs along the second coordinate; see `Road`."""
        return None


class Uneven(Cartesian, ABC):
    """Base of roads with heights. at: the frame of the road, a position (m, body axes) or a `Pose`.

    A road whose heights can be dilated overrides `dilated`.
    """

    at: Any

    @abstractmethod
    def relief(self, a: Expression, b: Expression) -> Relief:
        """Return height and slopes at a place, m, in the road's coordinates."""

    def place(self) -> tuple[Vector, np.ndarray]:
        """Return the position of the origin, m, body axes, and the rotation from the road's own axes to body axes."""
        return placed(self.at, "at of a road")

    def enveloped(self, cams: Cams) -> Road:
        """Return the road of the same kind whose heights are those of the lowest point of a cam that rests on it.

        The cam runs along the first coordinate. The result is computed once for equal cams. Raises ModelError for
        anything but `mbs.Cams`, and for a road whose heights cannot be dilated.
        """
        return self._once(cams, 0)

    def dilated(self, cams: Cams, along: int) -> Road:
        """Return the road of `enveloped`; along: 0 for the first coordinate, 1 for the second one."""
        raise ModelError(f"{self!r} has no envelope: leave envelope= out, or give mbs.Profile or mbs.HeightField")

    def _once(self, cams: Cams, along: int) -> Road:
        """Return the dilated road, the same object for equal cams, so that tyres share its data.

        Raises ModelError for anything but cams.
        """
        Cams.require(cams)
        found: dict[tuple[Cams, int], Road] = vars(self).setdefault("_envelopes", {})
        if (cams, along) not in found:
            found[cams, along] = self.dilated(cams, along)
        return found[cams, along]

    def height(self, x: Any, y: Any = 0.0) -> Any:
        """Return the height, m, at a place, m, in the road's own axes: a number, or an expression of expressions."""
        return plain(level(self, *in_meters(x, y)).height)

    def normal(self, x: Any, y: Any = 0.0) -> Any:
        """Return the upward unit normal at a place, m, in the road's own axes: an array, or a vector of expressions."""
        return upward(level(self, *in_meters(x, y)))


def level(road: Road, x: Expression, y: Expression, parameters: Sequence[Expression] = ()) -> Level:
    """Return height and slopes of a road at a place, m, in its axes; parameters: the contact parameters there."""
    chart = road.chart(x, y, parameters)
    return chart.level(road.relief(chart.a, chart.b))


def upward(at: Level) -> Any:
    """Return the upward unit normal, in the road's axes: an array, or a vector of expressions."""
    n = Vector((-at.slope_x, -at.slope_y, 1.0)) / Vector((-at.slope_x, -at.slope_y, 1.0)).norm()
    return n if leaves(n) else np.array([evaluate(c, {}) for c in n])


def plain(x: Expression) -> Any:
    """Return the value of a constant expression as a number; any other expression unchanged."""
    return x if leaves([x]) else evaluate(x, {})


def in_meters(x: Any, y: Any, names: str = "xy") -> tuple[Expression, Expression]:
    """Return two coordinates of a place, m. Raises ModelError for anything but numbers and expressions."""
    return number(x, f"{names[0]} of a road", "m"), number(y, f"{names[1]} of a road", "m")
