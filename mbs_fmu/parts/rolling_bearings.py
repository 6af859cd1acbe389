"""`rolling_bearing`: ball and roller bearings in five directions, with the passage of the rolling elements."""

from __future__ import annotations

import math
from typing import Any

from ..infrastructure.arguments import is_whole
from ..infrastructure.errors import ModelError
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.failures import display
from ..model.builders.signals import add_state
from ..model.checks import finite_number
from ..model.forces.frame_pairs import shaft_in_housing
from ..model.forces.places import add_force
from ..model.forces.rolling_bearings import LINE, BallRow, RollerRow, RollingElements, Row
from ..model.geometry.axes import Axis
from ..model.geometry.poses import Placement
from ..model.geometry.vectors import Vector, no_less_than_zero, number, of_parameters
from ..model.items import BodyOrName, State
from ..model.measures.measures import signal
from ..model.model import Model
from ..model.names import new_name, not_taken
from ..symbolic.argument_types import Quantity
from ..symbolic.expressions import ZERO, Expression, as_expression, is_literal
from .hertz import point_stiffness

ROLLER = 35948.0  #: N/mm^(10/9), of a steel roller between both rings, for a length of 1 mm (Q4)
MOST_SLICES = 100


@dataclass(frozen=True)
class Balls:
    """The balls of a bearing and their grooves (Q1) to (Q3).

    count: number of balls. diameter: of a ball, pitch: of the circle of the balls' centres, m. conformity: radius of
    the grooves over the diameter of the balls, above 0.5; one number, or those of the inner and the outer ring. angle:
    contact angle without load, rad, of an angular contact bearing: a force along the axis on the shaft then presses the
    balls, one against it opens the bearing by twice its axial play. clearance: of a bearing with the angle zero,
    diametral, m; negative with interference; it may depend on parameters. young, poisson: of balls and rings, Pa and 1.
    stiffness: K, N/m^1.5, of a ball between both rings, in place of that of Hertz' theory.

    Raises ModelError for numbers out of range, balls that overlap, and both angle and clearance.
    """

    count: int
    diameter: Quantity
    pitch: Quantity
    conformity: Quantity | tuple[Quantity, Quantity] = 0.52
    angle: Quantity = 0.0
    clearance: Quantity = 0.0
    young: Quantity = 2.07e11
    poisson: float = 0.3
    stiffness: Quantity | None = None

    def __post_init__(self) -> None:
        self.row("balls")

    def row(self, thing: str) -> Row:
        """Return the row of balls for a force. Raises ModelError, with `thing` as its name."""
        count, d, pitch = _circle(self.count, self.diameter, self.pitch, thing)
        conformity = self.conformity if isinstance(self.conformity, tuple) else (self.conformity, self.conformity)
        if len(conformity) != 2:
            raise ModelError(f"conformity of {thing} is {display(self.conformity)}: give one number, or two")
        inner, outer = (finite_number(x, f"conformity of {thing}") for x in conformity)
        if not 0.5 < min(inner, outer) <= max(inner, outer) < 10.0:
            raise ModelError(
                f"conformity of {thing} is {display(self.conformity)}: the grooves must be wider than the balls, give "
                "numbers above 0.5, such as 0.52"
            )
        angle = finite_number(self.angle, f"angle of {thing}", "rad")
        if not 0.0 <= angle < 1.5:
            raise ModelError(f'angle of {thing} is {angle:g} rad: give 0 to 1.5, such as "40 deg"; axis= has a sign')
        clearance = of_parameters(number(self.clearance, f"clearance of {thing}", "m"), f"clearance of {thing}")
        if angle > 0.0 and not is_literal(clearance, 0.0):
            raise ModelError(f"{thing} have an angle and a clearance: give one, the other follows from it")
        span = (inner + outer - 1.0) * d
        if is_literal(clearance) and not abs(clearance.value) < span:
            raise ModelError(f"clearance of {thing} is {clearance.value:g} m: it must be smaller than {span:g} m")
        share = d * math.cos(angle) / pitch
        apart = span * math.cos(angle) - 0.5 * clearance
        return BallRow(
            count, as_expression(0.5 * (1.0 - share)), as_expression(span), apart,
            as_expression(span * math.sin(angle)), as_expression(0.5 * pitch + (inner - 0.5) * d * math.cos(angle)),
            self._stiffness(thing, d, share, (inner, outer)),
        )  # fmt: skip

    def _stiffness(self, thing: str, d: float, share: float, conformity: tuple[float, float]) -> Expression:
        """Return K of a ball between both rings, N/m^1.5: two contacts in series."""
        young, poisson = (
            finite_number(self.young, f"young of {thing}", "Pa"),
            finite_number(self.poisson, f"poisson of {thing}"),
        )
        if not (young > 0.0 and -1.0 < poisson <= 0.5):
            raise ModelError(f"{thing}: young is {young:g} Pa and poisson {poisson:g}: give those of steel or the like")
        if self.stiffness is not None:
            return _stiffness_of_parameters(self.stiffness, thing)
        along = (2.0 / d * share / (1.0 - share), -2.0 / d * share / (1.0 + share))
        both = (
            point_stiffness((2.0 / d, 2.0 / d, rolling, -1.0 / (f * d)), young, poisson)
            for rolling, f in zip(along, conformity, strict=True)
        )
        return as_expression(sum(K ** (-2.0 / 3.0) for K in both) ** -1.5)


@dataclass(frozen=True)
class Rollers:
    """The cylindrical rollers of a bearing, which carry radial loads and moments (Q4).

    count: number of rollers. diameter: of a roller, pitch: of the circle of the rollers' axes, length: effective
    length of a roller, m. slices: number of slices along a roller, 1 to 100; their springs are independent, and one
    slice carries no moment. clearance: diametral, m; negative with interference; it may depend on parameters.
    stiffness: K, N/m^(10/9), of a roller between both rings, in place of that of steel.

    Raises ModelError for numbers out of range and rollers that overlap.
    """

    count: int
    diameter: Quantity
    pitch: Quantity
    length: Quantity
    slices: int = 5
    clearance: Quantity = 0.0
    stiffness: Quantity | None = None

    def __post_init__(self) -> None:
        self.row("rollers")

    def row(self, thing: str) -> Row:
        """Return the row of rollers for a force. Raises ModelError, with `thing` as its name."""
        count, d, pitch = _circle(self.count, self.diameter, self.pitch, thing)
        length = _positive(self.length, f"length of {thing}")
        slices = self.slices
        if not is_whole(slices) or not 1 <= slices <= MOST_SLICES:
            raise ModelError(f"slices of {thing} is {display(slices)}: give a whole number from 1 to {MOST_SLICES}")
        clearance = of_parameters(number(self.clearance, f"clearance of {thing}", "m"), f"clearance of {thing}")
        if self.stiffness is None:
            stiffness = as_expression(ROLLER * (1e3 * length) ** (8.0 / 9.0) * 1e3**LINE)
        else:
            stiffness = _stiffness_of_parameters(self.stiffness, thing)
        places = Vector((k + 0.5) / slices * length - 0.5 * length for k in range(slices))
        return RollerRow(
            count, as_expression(0.5 * (1.0 - d / pitch)), 0.5 * clearance, places, stiffness * (1.0 / slices)
        )


@dataclass(frozen=True, eq=False)
class RollingBearing:
    """Quantities of a rolling bearing, as expressions in SI units.

    loads: of the rolling elements, N, the first of which is at the phase of the cage. cage: phase of the cage, rad:
    angle about the bearing's axis from the first axis across it, in the frame on the housing.
    """

    loads: tuple[Expression, ...]
    cage: Expression


def rolling_bearing(
    model: Model,
    name: str,
    shaft: BodyOrName,
    housing: BodyOrName,
    elements: Balls | Rollers,
    *,
    at_shaft: Placement = (0.0, 0.0, 0.0),
    at_housing: Placement = (0.0, 0.0, 0.0),
    axis: Axis = "z",
    damping: Quantity = 0.0,
    cage: Quantity | None = None,
) -> RollingBearing:
    """Add a ball or roller bearing between a shaft and a housing, and return its quantities.

    at_shaft, at_housing: centres of the inner and the outer ring (m, body axes), or `Pose`s, which coincide in a
    bearing that just has no load. axis: of the bearing, in these frames; balls with a contact angle carry the force on
    the shaft that points along it. damping: N.s/m along and across the axis, and about axes across it that of dampers
    spread evenly over the pitch circle.

    The rings press the rolling elements by their displacements and tilts; the energy of all elements is one potential,
    and the shaft's force minus its gradient. Spin is free. The elements have neither mass nor friction, and roll
    without slip: the state `NAME.cage` is the phase of the cage, which turns as the rings roll on the elements. With
    cage=, an angle in rad, the cage does not roll and has this phase: linear models of a spinning shaft then do not
    depend on its angle.

    Raises ModelError for names in use, unknown or equal bodies, an invalid pose or axis, and negative damping.
    """
    new_name(model, name, "force")
    thing = f"bearing {name!r}"
    frames = shaft_in_housing(model, shaft, housing, at_shaft, at_housing, axis, thing)
    if not isinstance(elements, Balls | Rollers):
        raise ModelError(f"elements of {thing} must be mbs.Balls(...) or mbs.Rollers(...), not {display(elements)}")
    row = elements.row(f"elements of {thing}")
    resistance = no_less_than_zero(damping, f"damping of {thing}", "N.s/m")
    pitch = as_expression(finite_number(elements.pitch, f"pitch of {thing}", "m"))
    if cage is not None:
        phase = number(cage, f"cage of {thing}", "rad")
        force = RollingElements(name, frames, row, phase, resistance, pitch)
        add_force(model, force, thing)
        return RollingBearing(force.loads(), phase)
    state = f"{name}.cage"
    not_taken(model, state, "state")
    force = RollingElements(name, frames, row, ZERO, resistance, pitch, (state,))
    add_force(model, force, thing)
    add_state(model, State(state, force.cage_rate, 0.0, "rad", f"phase of the cage of {thing}"), 0.0)
    return RollingBearing(force.loads(), signal(state))


def _circle(count: Any, diameter: Quantity, pitch: Quantity, thing: str) -> tuple[int, float, float]:
    """Return number, diameter and pitch diameter of rolling elements, m. Raises ModelError if they overlap."""
    if not is_whole(count) or count < 3:
        raise ModelError(f"count of {thing} is {display(count)}: give a whole number of at least 3")
    d, circle = _positive(diameter, f"diameter of {thing}"), _positive(pitch, f"pitch of {thing}")
    if d >= circle * math.sin(math.pi / count):
        raise ModelError(
            f"{thing}: {count} of the diameter {d:g} m do not fit on a circle of the diameter {circle:g} m: give "
            "fewer, smaller ones or a larger pitch="
        )
    return int(count), d, circle


def _positive(value: Quantity, thing: str) -> float:
    length = finite_number(value, thing, "m")
    if not length > 0.0:
        raise ModelError(f"{thing} is {length:g} m: it must be positive")
    return length


def _stiffness_of_parameters(value: Quantity, thing: str) -> Expression:
    stiffness = no_less_than_zero(value, f"stiffness of {thing}", positive=True)
    return of_parameters(stiffness, f"stiffness of {thing}")
