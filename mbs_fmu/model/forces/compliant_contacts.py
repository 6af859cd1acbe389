"""Addition of compliant contacts to models: arguments of their laws, with checks and defaults, and states."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.failures import display
from ...symbolic.expressions import Expression, is_literal
from ..bodies.shapes import Shape
from ..closures.curves import CurvePair
from ..data import ModelData
from ..geometry.poses import placed
from ..geometry.vectors import Vector, no_less_than_zero, number
from ..items import BodyOrName, State
from ..names import not_taken
from .contact_curves import Curved, foot_rates, surfaces
from .contact_gaps import touch_on_area
from .contact_laws import Bristle, Creeping, Friction, NoFriction
from .contact_shapes import Place, drawn, meeting
from .contact_surfaces import Surface
from .contacts import Contact, ContactPoint, widths
from .impedance import Impedance
from .normal_laws import Hertz, Linear, Normal
from .places import add_force, two_bodies

DISSIPATION = 1.0  #: s/m, default of `dissipation`
SETTLING = 5e-3  #: s, default of `settling`
SPEED = 1e-3  #: m/s, default of `speed`
EXPONENTS = {1.0: Linear, 1.5: Hertz}  #: of the depth in the normal force


@dataclass(frozen=True, eq=False)
class LawArguments:
    """The arguments of the law of a contact, as the user passed them; None for those left out.

    `Model.contact` describes them. Their equations are (C1) to (C15) of docs/contact.md.
    """

    stiffness: Any
    dissipation: Any
    exponent: Any
    friction: Any
    static: Any
    speed: Any
    grip: Any
    settling: Any
    pad: Any
    creep: Any
    roll: Any

    def laws(self, thing: str) -> tuple[Normal, Friction]:
        """Return the laws of the normal force and of friction. Raises ModelError for invalid or useless arguments."""
        normal = self._normal(thing)
        return normal, self._friction(normal, thing)

    def _normal(self, thing: str) -> Normal:
        """Return the law of the normal force. Raises ModelError for invalid numbers."""
        dissipation = DISSIPATION if self.dissipation is None else self.dissipation
        damper = no_less_than_zero(dissipation, f"dissipation of {thing}", "s/m")
        if isinstance(self.stiffness, Impedance):
            self._refuse(["exponent"] * (self.exponent is not None), thing, "has an impedance", "give a stiffness")
            return self.stiffness.normal(damper)
        exponent = number(1.0 if self.exponent is None else self.exponent, f"exponent of {thing}")
        if not is_literal(exponent) or exponent.value not in EXPONENTS:
            raise ModelError(f"exponent of {thing} is {display(self.exponent)}: give 1, or 1.5 for Hertzian contact")
        unit = "N/m" if exponent.value == 1.0 else None
        stiffness = no_less_than_zero(self.stiffness, f"stiffness of {thing}", unit, positive=True)
        return EXPONENTS[exponent.value](stiffness, damper)

    def _friction(self, normal: Normal, thing: str) -> Friction:
        """Return the law of friction. Raises ModelError for invalid numbers, and for arguments without effect."""
        coefficient = no_less_than_zero(0.0 if self.friction is None else self.friction, f"friction of {thing}")
        names = ("static", "speed", "grip", "settling", "pad", "creep", "roll")
        given = [name for name in names if getattr(self, name) is not None]
        if is_literal(coefficient, 0.0):
            self._refuse(given, thing, "has no friction", "give friction= too")
            return NoFriction()
        if self.creep is not None:
            others = [name for name in given if name not in ("creep", "roll")]
            self._refuse(others, thing, "has friction that creeps", "leave creep= out for friction that sticks")
            creep = no_less_than_zero(self.creep, f"creep of {thing}", "m/s", positive=True)
            return Creeping(coefficient, creep, self._length("roll", thing))
        pad, roll = self._length("pad", thing), self._length("roll", thing)
        return Bristle(
            coefficient, self._static(coefficient, thing), self._speed(thing), self._grip(normal, thing),
            self._settling(thing), pad, roll,
        )  # fmt: skip

    @staticmethod
    def _refuse(names: list[str], thing: str, why: str, remedy: str) -> None:
        """Raise ModelError if there are arguments with these names, which have no effect."""
        if names:
            raise ModelError(f"{thing} {why}, so {names[0]}= has no effect: leave it out, or {remedy}")

    def _static(self, coefficient: Expression, thing: str) -> Expression | None:
        """Return the coefficient of static friction, or None if it is that of sliding."""
        if self.static is None:
            if self.speed is not None:
                raise ModelError(f"{thing}: speed= has no effect without static friction: give static= too")
            return None
        static = no_less_than_zero(self.static, f"static friction of {thing}")
        if is_literal(static) and is_literal(coefficient) and static.value < coefficient.value:
            raise ModelError(
                f"static friction of {thing} is {static.value!r}: it must be at least friction {coefficient.value!r}"
            )
        return static

    def _speed(self, thing: str) -> Expression:
        """Return the speed about which static friction falls, m/s."""
        return no_less_than_zero(SPEED if self.speed is None else self.speed, f"speed of {thing}", "m/s", positive=True)

    def _length(self, name: str, thing: str) -> Expression | None:
        """Return an argument that is a length, m, or None."""
        value = getattr(self, name)
        return None if value is None else no_less_than_zero(value, f"{name} of {thing}", "m", positive=True)

    def _grip(self, normal: Normal, thing: str) -> Expression:
        """Return the stiffness of the bristles, N/m."""
        if self.grip is not None:
            return no_less_than_zero(self.grip, f"grip of {thing}", "N/m", positive=True)
        return normal.grip(thing)

    def _settling(self, thing: str) -> float:
        """Return the time constant of the bristles, s."""
        what = f"settling of {thing}"
        settling = no_less_than_zero(SETTLING if self.settling is None else self.settling, what, "s", positive=True)
        if not is_literal(settling):
            raise ModelError(f"{what} is an expression: give a number, since steps must be shorter than 2.5 times it")
        return float(settling.value)


def compliant_contact(
    model: ModelData,
    name: str,
    a: BodyOrName,
    b: BodyOrName,
    shapes: Sequence[tuple[Any, Any]],
    places: tuple[Any, Any],
    laws: tuple[Normal, Friction],
) -> None:
    """Add a compliant contact between shapes on two bodies, and the states of its friction.

    shapes: pairs of `shape_a` and `shape_b` of `Model.contact`. places: its `at_a` and `at_b`. Raises ModelError for a
    name in use, unknown bodies, invalid places, and shapes that cannot meet.
    """
    thing = f"contact {name!r}"
    ends, (at_a, at_b) = _placed_ends(model, name, a, b, places)
    sides = [(x, (ends[0], *at_a), y, (ends[1], *at_b)) for x, y in shapes]
    pairs = [pair for side in sides for pair in meeting(*side, thing)]
    solids = tuple(solid for side in sides for solid in drawn(*side, thing))
    _add(model, name, ends, (at_a[0], at_b[0]), pairs, solids, laws)


def curve_contact(
    model: ModelData,
    name: str,
    a: BodyOrName,
    b: BodyOrName,
    pair: CurvePair,
    places: tuple[Any, Any],
    laws: tuple[Normal, Friction],
) -> None:
    """Add a compliant contact of curves on two bodies, its contact parameters and the states of its friction.

    pair: it has been checked. places: `at_a` and `at_b` of `Model.contact`. Raises ModelError as `compliant_contact`.
    """
    ends, (at_a, at_b) = _placed_ends(model, name, a, b, places)
    on_a, on_b = surfaces(name, pair, Surface(ends[0], *at_a), Surface(ends[1], *at_b))
    _add(model, name, ends, (at_a[0], at_b[0]), [(on_a, on_b)], (), laws)
    for k, (state, unit, rate) in enumerate(zip(on_a.states, pair.foot_units, foot_rates(on_a, on_b), strict=True)):
        description = f"contact parameter {k + 1} of {name}, found where it starts"
        model.states[state] = State(state, rate, 0.0, unit, description)


def _placed_ends(
    model: ModelData, name: str, a: BodyOrName, b: BodyOrName, places: tuple[Any, Any]
) -> tuple[tuple[str, str], list[tuple[Vector, np.ndarray]]]:
    """Return the names of both bodies, and the frames at both places. Raises ModelError as `compliant_contact`."""
    thing = f"contact {name!r}"
    not_taken(model, name, "force")
    ends = two_bodies(model, a, b, thing, "two bodies")
    return ends, [placed(at, f"{what} of {thing}") for at, what in zip(places, ("at_a", "at_b"), strict=True)]


def _add(
    model: ModelData,
    name: str,
    ends: tuple[str, str],
    at: tuple[Vector, Vector],
    pairs: Sequence[tuple[Surface, Surface]],
    solids: tuple[tuple[Place, Shape], ...],
    laws: tuple[Normal, Friction],
) -> None:
    """Add a contact of pairs of surfaces, and the states of its friction."""
    thing = f"contact {name!r}"
    normal, friction = laws
    units = [friction.units(on_a.turns, touch_on_area(on_a, on_b)) for on_a, on_b in pairs]
    taken = [len(on_a.states) if isinstance(on_a, Curved) else 0 for on_a, _ in pairs]
    names = _state_names(name, [len(x) for x in units], taken)
    levers: Sequence[Expression | None] = _levers(pairs, thing) if friction.rolls else [None] * len(pairs)
    points = tuple(ContactPoint(*pair, own, lever) for pair, own, lever in zip(pairs, names, levers, strict=True))
    contact = Contact(name, *ends, *at, points, normal, friction, solids)
    for state in (*(state for states in names for state in states), *(foot.state for foot in contact.feet())):
        not_taken(model, state, "state")
    add_force(model, contact, thing)
    for k, (states, own) in enumerate(zip(names, units, strict=True), start=1):
        for state, unit, rate in zip(states, own, friction.free_rates(states), strict=True):
            where = f"point {k} of {thing}" if len(pairs) > 1 else thing
            model.states[state] = State(state, rate, 0.0, unit, f"deflection of the bristle at {where}")


def _levers(pairs: Sequence[tuple[Surface, Surface]], thing: str) -> list[Expression]:
    """Return half the width of the shapes at each point, m. Raises ModelError if they have none."""
    levers = [0.5 * width for width in widths(pairs)]
    if any(is_literal(lever) and math.isinf(lever.value) for lever in levers):
        raise ModelError(f"{thing}: a single point does not roll: leave roll= out, or give a shape such as mbs.Sphere")
    return levers


def _state_names(contact: str, counts: list[int], taken: list[int]) -> list[tuple[str, ...]]:
    """Return the names of the states of friction at each point: NAME.z1 and so on; of several points NAME.point1.z1.

    counts: number of states of each point. taken: numbers of contact parameters, which come before these states.
    """
    owners = [contact] if len(counts) == 1 else [f"{contact}.point{k}" for k in range(1, len(counts) + 1)]
    return [
        tuple(f"{owner}.z{k}" for k in range(first + 1, first + count + 1))
        for owner, count, first in zip(owners, counts, taken, strict=True)
    ]
