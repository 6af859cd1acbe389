"""Places of forces: joint coordinates, their differences, and equations, along which forces act.

A place is a number g of the configuration, such as an angle, a distance or a gap, with its rate r = dg/dt. A force f
along it exerts the generalized forces f dr/du, the transpose of the coefficients of the rate, so that its power is f r,
(U1) of docs/equations.md. All springs, motors, frictions and stops that are not between two points act along a place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import Field, replace
from typing import Any

from ..infrastructure.cached_properties import cached_property
from ..infrastructure.errors import ModelError
from ..infrastructure.lazy_dataclasses import dataclass
from ..symbolic.expressions import ZERO, Expression, is_literal, leaf
from ..symbolic.graph import derivative, leaves, only
from ..symbolic.vectors import ORIGIN, Vector
from .effects import Action, Along, Push
from .references.leaves import AxisNumber, FrameNumber, JointNumber, ModalNumber, PointNumber, Signal, SpinNumber

FOLLOWED: Mapping[str, bool] = {"followed": True}
"""Metadata of a force's field with data whose motion its elastic action follows already, see `Force.with_laws`."""
Velocity = JointNumber | ModalNumber | FrameNumber | PointNumber | SpinNumber  #: references to velocities
Velocities = Callable[[str, Sequence[Expression]], Sequence[Expression]]
"""Maps a body and slopes by the coordinates of its joint to slopes by the integrals of its joint velocities."""


@dataclass(frozen=True, eq=False)
class Place:
    """A number along which a force acts.

    coordinate: the number; None if only its rate is known. rate: its rate, linear in velocities. Both are expressions
    of the model; the units of force, number and rate make the power a number in W.
    """

    coordinate: Expression | None
    rate: Expression

    @property
    def number(self) -> Expression:
        """The number itself, which springs and stops need."""
        assert self.coordinate is not None
        return self.coordinate

    @cached_property
    def coefficients(self) -> dict[Velocity, Expression]:
        """Coefficients of the velocities in the rate, none of them zero."""
        velocities = [x for x in leaves([self.rate]) if is_velocity(x)]
        by = {x: derivative([self.rate], only(x))[0] for x in velocities}
        return {x: slope for x, slope in by.items() if not is_literal(slope, 0.0)}

    def along(self, force: Expression) -> Action:
        """Return the action of a force along the number."""
        along: list[Along] = []
        twists: dict[str, list[Expression]] = {}
        points: dict[tuple[str, tuple[Expression, ...]], list[Expression]] = {}
        spins: dict[str, list[Expression]] = {}
        for velocity, coefficient in self.coefficients.items():
            share = force if is_literal(coefficient, 1.0) else coefficient * force
            match velocity:
                case JointNumber():
                    along.append(Along(velocity.body, max(velocity.k, 0), share))
                case ModalNumber():
                    along.append(Along(velocity.body, velocity.k, share, modal=True))
                case FrameNumber():
                    twists.setdefault(velocity.body, [ZERO] * 6)[velocity.k] = share
                case PointNumber():
                    points.setdefault((velocity.body, velocity.at), [ZERO] * 3)[velocity.k] = share
                case SpinNumber():
                    spins.setdefault(velocity.body, [ZERO] * 3)[velocity.k] = share
        pushes = [Push(body, Vector(at), Vector(f), ORIGIN) for (body, at), f in points.items()]
        pushes += [Push(body, ORIGIN, ORIGIN, Vector(f)) for body, f in spins.items()]
        pushes += [Push(body, ORIGIN, Vector(f[:3]), Vector(f[3:]), in_world=False) for body, f in twists.items()]
        return Action(tuple(pushes), tuple(along))


def joint_place(body: str, k: int, against: tuple[str, int] | None = None) -> Place:
    """Return joint velocity k, from 0, of a body, or its difference from that of another joint, with its coordinate."""
    coordinate, rate = (_difference(quantity, (body, k), against) for quantity in ("coordinate", "rate"))
    return Place(coordinate, rate)


def _difference(quantity: str, one: tuple[str, int], other: tuple[str, int] | None) -> Expression:
    first = leaf(JointNumber(quantity, *one))
    return first if other is None else first - leaf(JointNumber(quantity, *other))


def is_followed(entry: Field[Any]) -> bool:
    """True for a field with the metadata `FOLLOWED`."""
    return "followed" in entry.metadata


def is_velocity(reference: object) -> bool:
    """True for references to joint velocities, rates of vibration modes, and velocities of bodies."""
    quantity = getattr(reference, "quantity", None)
    of_body = isinstance(reference, FrameNumber | PointNumber) and quantity in ("twist", "velocity")
    return of_body or isinstance(reference, SpinNumber) or (
        isinstance(reference, JointNumber | ModalNumber) and quantity == "rate"
    )  # fmt: skip


def equation_place(equation: Expression, velocities: Velocities, thing: str) -> Place:
    """Return the place of an equation of positions, or of a rate that is linear in velocities.

    Its rate holds parameters, inputs and states. Raises ModelError for an expression that depends on anything else than
    coordinates, positions, orientations, their rates, modal coordinates, signals and time, for one in which nothing
    moves, and for a rate that is not linear.
    """
    references = leaves([equation])
    for reference in references:
        if not _may_occur(reference):
            raise ModelError(
                f"{thing} depends on {reference}: give an expression of coordinates, positions, orientations and their "
                "rates, of parameters, inputs, states and time"
            )
    if any(map(is_velocity, references)):
        place = Place(None, equation)
        if any(is_velocity(x) for x in leaves(list(place.coefficients.values()))):
            raise ModelError(f"{thing} is {equation!r}: a rate must be linear in velocities")
    else:
        place = Place(equation, rate_of(equation, velocities))
    if not place.coefficients:
        raise ModelError(
            f"{thing} is {equation!r}, in which nothing moves: give an expression of coordinates or positions"
        )
    return place


def _may_occur(reference: object) -> bool:
    held = isinstance(reference, Signal)  # a signal other than time is constant in the rate
    return held or isinstance(
        reference, JointNumber | ModalNumber | FrameNumber | PointNumber | AxisNumber | SpinNumber
    )


def rate_of(equation: Expression, velocities: Velocities) -> Expression:
    """Return the rate of an equation of positions and time, at constant parameters, inputs and states.

    It is a sum of slopes of the equation times velocities: joint velocities, rates of vibration modes, twists in body
    axes, and velocities of points.
    """
    slopes = {x: derivative([equation], only(x))[0] for x in leaves([equation])}
    slopes = {x: slope for x, slope in slopes.items() if not is_literal(slope, 0.0)}
    terms = [*_of_joints(slopes, velocities), *_of_frames(slopes), *_of_anchors(slopes)]
    rate = slopes.get(Signal("time", "time"), ZERO)
    for slope, velocity in terms:
        rate = rate + (leaf(velocity) if is_literal(slope, 1.0) else slope * leaf(velocity))
    return rate


Terms = Iterable[tuple[Expression, Velocity]]  #: slopes and the velocities that they multiply


def _of_joints(slopes: Mapping[Any, Expression], velocities: Velocities) -> Terms:
    own: dict[str, dict[int, Expression]] = {}
    for x, slope in slopes.items():
        if isinstance(x, JointNumber):
            of_body = own.setdefault(x.body, {})
            of_body[max(x.k, 0)] = of_body.get(max(x.k, 0), ZERO) + slope
        elif isinstance(x, ModalNumber):
            yield slope, replace(x, quantity="rate")
    for body, by in own.items():
        along = velocities(body, [by.get(k, ZERO) for k in range(max(by) + 1)])
        for k, slope in enumerate(along):
            if not is_literal(slope, 0.0):
                yield slope, JointNumber("rate", body, k)


def _of_frames(slopes: Mapping[Any, Expression]) -> Terms:
    """Yield the slopes by the twist of each body: a small rotation theta turns each of its axes r by theta x r."""
    frames = [x for x in slopes if isinstance(x, FrameNumber)]
    for body in dict.fromkeys(x.body for x in frames):
        argument = next(x.argument for x in frames if x.body == body)

        def by(quantity: str, k: int, body: str = body) -> Expression:
            return slopes.get(FrameNumber(quantity, body, k), ZERO)

        columns = [Vector(leaf(FrameNumber("rotation", body, 3 * i + j, argument)) for i in range(3)) for j in range(3)]
        torque = ORIGIN
        for j, axis in enumerate(columns):
            torque = torque + axis.cross(Vector(by("rotation", 3 * i + j) for i in range(3)))
        force = Vector(by("origin", k) for k in range(3))
        parts = (axis.dot(vector) for vector in (force, torque) for axis in columns)
        for k, slope in enumerate(parts):
            if not is_literal(slope, 0.0):
                yield slope, FrameNumber("twist", body, k, argument)


def _of_anchors(slopes: Mapping[Any, Expression]) -> Terms:
    """Yield the slopes by the velocities of points, and by the spins of bodies with axes."""
    torques: dict[str, Vector] = {}
    for x, slope in slopes.items():
        if isinstance(x, PointNumber):
            yield slope, replace(x, quantity="velocity")
    axes = {replace(x, k=0): None for x in slopes if isinstance(x, AxisNumber)}
    for first in axes:
        entries = [replace(first, k=k) for k in range(3)]
        turning = Vector(leaf(x) for x in entries).cross(Vector(slopes.get(x, ZERO) for x in entries))
        torques[first.body] = torques.get(first.body, ORIGIN) + turning
    for body, torque in torques.items():
        for k, slope in enumerate(torque):
            if not is_literal(slope, 0.0):
                yield slope, SpinNumber(body, k)
