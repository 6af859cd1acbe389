"""Elastic involute teeth of wheels whose centres and axes may move, as on bearings (L23).

All that the teeth feel are components of the line of centres c in the axes of both wheels. The energy is a formula of
these components; the forces are minus its gradient by them, so they balance between the wheels and conserve energy,
also with a stiffness that varies as teeth mesh in turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

import numpy as np

from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.expressions import (
    ONE,
    ZERO,
    Expression,
    atan,
    atan2,
    clip,
    is_literal,
    leaf,
    mod,
    sqrt,
    where,
)
from ...symbolic.graph import derivative, rebuild
from ...symbolic.vectors import ORIGIN, Vector
from ..bodies.shapes import Shape, wheel_shapes
from ..effects import Action, Check, Effect, Push
from ..geometry.anchors import axes, point_position, point_velocity, spin
from ..geometry.poses import Pose
from ..items import OnBodies
from ..references.leaves import Signal, Stretch
from ..references.naming import A_NAME

PHASE = Stretch("phase")  #: angle of the first wheel from the line of centres, times its teeth: 0 to 2 pi per tooth
TURN = 2.0 * np.pi
ROUNDING = 100.0 * float(np.finfo(float).eps)  #: of the play that follows from the distance of the centres, relative


@dataclass(frozen=True)
class Component:
    """Placeholder for component k (0 to 2) of the line of centres in the axes of wheel 0 or 1, m; `wheel` 2: the square
    of its length, m²."""

    wheel: int
    k: int = 0


SQUARE = Component(2)
COMPONENTS = [*(Component(wheel, k) for wheel in range(2) for k in range(3)), SQUARE]


@dataclass(frozen=True)
class InvoluteWheel:
    """Wheel: body, number of teeth (negative: internal gear), centre and axes.

    centre: the middle of the teeth on the axis, m, body axes. frame: its axes in body axes, 3x3, by columns: in the
    zero position of all joints the first points from the first wheel's centre to the second one's, the third is the
    axis of both.
    """

    body: str = field(metadata=A_NAME)
    teeth: int
    centre: Vector
    frame: np.ndarray


class LineOfCentres:
    """The line of centres in numbers of the model: c, m, world axes, from the first wheel's centre to the second's."""

    def __init__(self, wheels: Sequence[InvoluteWheel]):
        self.wheels = wheels
        first, second = wheels
        self.c = point_position(second.body, second.centre) - point_position(first.body, first.centre)
        self.axes = [axes(wheel.body, wheel.frame) for wheel in wheels]

    def _number(self, x: Component) -> Expression:
        return self.c.dot(self.c) if x == SQUARE else self.c.dot(self.axes[x.wheel][x.k])

    def numbers(self, node: Expression) -> Expression | None:
        """Replace a placeholder by its number."""
        return self._number(node.value) if node.op == "leaf" and isinstance(node.value, Component) else None

    def rate(self, reference: object) -> Expression:
        """Return the rate of a placeholder or of time; other numbers count as held."""
        if not isinstance(reference, Component):
            return ONE if reference == Signal("time", "time") else ZERO
        moved = [point_velocity(wheel.body, wheel.centre) for wheel in self.wheels]
        rate = moved[1] - moved[0]
        if reference == SQUARE:
            return 2.0 * self.c.dot(rate)
        seen = rate + self.c.cross(spin(self.wheels[reference.wheel].body))
        return seen.dot(self.axes[reference.wheel][reference.k])

    def action(self, geometry: Sequence[Expression], forces: Sequence[Expression]) -> Action:
        """Return the wrenches about the centres of both wheels of forces along numbers of the placeholders."""

        def along(x: Component) -> Expression:
            slopes = derivative(geometry, lambda reference: ONE if reference == x else ZERO)
            total = sum((slope * force for slope, force in zip(slopes, forces, strict=True)), start=ZERO)
            return rebuild([total], self.numbers)[0]

        pulls = [
            sum((axis * along(Component(wheel, k)) for k, axis in enumerate(self.axes[wheel])), start=ORIGIN)
            for wheel in range(2)
        ]
        force = pulls[0] + pulls[1] + self.c * (2.0 * along(SQUARE))
        sides = zip(self.wheels, (-force, force), pulls, strict=True)
        return Action(tuple(Push(x.body, x.centre, pushed, pull.cross(self.c)) for x, pushed, pull in sides))


@dataclass(frozen=True, eq=False)
class InvoluteMesh(OnBodies):
    """Elastic teeth on both flanks, which push along the lines of action of the wheels' present positions.

    distance: m, of the centres in the zero position of all joints. pressure_angle: rad, in the transverse plane, at
    this distance. slope: tangent of the base helix angle, positive if the first wheel is right-handed. stiffness (N/m)
    and error (m, by which the second wheel lags) may contain the placeholder PHASE. damping: N.s/m. backlash: m, along
    the line of action, of both flanks together at the nominal distance.
    """

    wheels: tuple[InvoluteWheel, InvoluteWheel]
    distance: Expression
    pressure_angle: float
    slope: float
    stiffness: Expression
    damping: Expression
    backlash: Expression
    error: Expression

    @property
    def thing(self) -> str:
        return f"gear {self.name!r}"

    @property
    def teeth(self) -> int:
        """Sum of the teeth, negative if one of the wheels is an internal gear and the other smaller."""
        return sum(wheel.teeth for wheel in self.wheels)

    @property
    def base(self) -> Expression:
        """Radius of the base circle per tooth, m."""
        return self.distance * (float(np.cos(self.pressure_angle)) / abs(self.teeth))

    @property
    def shapes(self) -> Sequence[tuple[str, Shape]]:
        """Wheels with the radii of their pitch circles."""
        radii = [self.distance * abs(wheel.teeth / self.teeth) for wheel in self.wheels]
        width = 0.1 * self.distance
        return [
            (wheel.body, shape)
            for wheel, radius in zip(self.wheels, radii, strict=True)
            for shape in wheel_shapes(radius, width, Pose(wheel.centre, wheel.frame), wheel.teeth < 0)
        ]

    def start_checks(self) -> Sequence[Check]:
        """The centres must be farther apart than the base circles allow."""
        line = self._line()
        (squares,) = rebuild([self._square_of_tangent()], line.numbers)
        return [(squares, f"{self.thing}: the centres of the wheels are too close for their base circles")]

    def effect(self) -> Effect:
        """Return the effect; the strength is the force along the line of action, the multiplier of a rigid gear."""
        line, turned, opened = self._line(), self._turned(), self._opened()
        (stiffness,) = rebuild([self.stiffness], self._of_phase)
        rates = derivative([turned, opened], line.rate)
        half = 0.5 * self.backlash + opened
        deep = self._pressed(turned, half)
        springs = [stiffness * x for x in deep]
        dampers = [self._damper(sign * rates[0] - rates[1], x) for sign, x in zip((1.0, -1.0), springs, strict=True)]
        squares = 0.5 * (deep[0] * deep[0] + deep[1] * deep[1])
        geometry = turned, opened, stiffness
        forces = [spring + damper for spring, damper in zip(springs, dampers, strict=True)]
        total = line.action(geometry, (forces[1] - forces[0], forces[0] + forces[1], -squares))
        lost = line.action(geometry[:2], (dampers[1] - dampers[0], dampers[0] + dampers[1]))
        strength, stored = rebuild([self._sign * (forces[0] - forces[1]), stiffness * squares], line.numbers)
        return Effect(total, strength, stored, dissipates=lost)

    def _line(self) -> LineOfCentres:
        return LineOfCentres(self.wheels)

    def _turned(self) -> Expression:
        """Arc by which both wheels have turned out of mesh and moved along their helices, on the base circles, m."""
        angles = [atan2(leaf(Component(wheel, 1)), leaf(Component(wheel, 0))) for wheel in range(2)]
        turns = sum((x.teeth * angle for x, angle in zip(self.wheels, angles, strict=True)), start=ZERO)
        within = mod(turns + np.pi, TURN) - np.pi
        error = rebuild([self.error], self._of_phase)[0]
        return self.slope * self._height() - self.base * within - error

    def _of_phase(self, node: Expression) -> Expression | None:
        """Replace the placeholder of the phase."""
        if node.op != "leaf" or node.value != PHASE:
            return None
        angle = atan2(leaf(Component(0, 1)), leaf(Component(0, 0)))
        return mod(-float(abs(self.wheels[0].teeth)) * angle, TURN)

    def _height(self) -> Expression:
        """Distance of the second wheel from the first along their axes, at the pitch point, m."""
        shares = [wheel.teeth / self.teeth for wheel in self.wheels]
        return sum((share * leaf(Component(wheel, 2)) for wheel, share in enumerate(shares)), start=ZERO)

    def _square_of_tangent(self) -> Expression:
        """Square of the length of the common tangent of the base circles, m²."""
        height, radius = self._height(), self.base * abs(self.teeth)
        return leaf(SQUARE) - height * height - radius * radius

    def _opened(self) -> Expression:
        """Play of each flank that the distance of the centres has added, along the line of action, m.

        It is the sum of the base radii, times inv a - inv a_0, with inv a = tan a - a.
        """
        radius, tangent = self.base * abs(self.teeth), sqrt(self._square_of_tangent())
        nominal = float(np.tan(self.pressure_angle)) - self.pressure_angle
        return self._sign * (tangent - radius * (atan(tangent / radius) + nominal))

    @property
    def _sign(self) -> float:
        return float(np.sign(self.teeth))

    def _pressed(self, turned: Expression, half: Expression) -> tuple[Expression, Expression]:
        """Return the deflections of both flanks, m, zero if they do not touch.

        Without backlash both flanks end at one point, where rounding must not decide: there the first one touches.
        """
        deep, rounding = (turned - half, -turned - half), ROUNDING * self.distance
        first = where(deep[0] >= -rounding, deep[0], ZERO)
        return first, where(deep[1] >= where(half > rounding, -rounding, rounding), deep[1], ZERO)

    def _damper(self, rate: Expression, spring: Expression) -> Expression:
        """Return the force of the damper of a flank, at most that of its spring: teeth do not pull."""
        return ZERO if is_literal(self.damping, 0.0) else clip(self.damping * rate, -spring, spring)
