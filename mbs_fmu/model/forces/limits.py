"""Stops of joint coordinates and of equations."""

from __future__ import annotations

from typing import Literal

from ...infrastructure.errors import ModelError
from ...symbolic.argument_types import Number, Quantity
from ...symbolic.expressions import Expression, is_literal
from ..closures import Equations, OneSided
from ..closures.closure import check_leaves
from ..closures.modes import checked_restitution
from ..data import ModelData
from ..geometry.vectors import Vector, no_less_than_zero, number
from ..items import Body
from ..names import known_in, new_name, not_taken
from .characteristics import DAMPING, STIFFNESS, Ends
from .places import add_force, checked_place, known_unit
from .springs import Spring


def limit(
    model: ModelData,
    name: str,
    on: str | Body | None = None,
    lower: Quantity | None = None,
    upper: Quantity | None = None,
    coordinate: int | None = None,
    *,
    stiffness: Quantity | None = None,
    damping: Quantity = 0.0,
    restitution: Number | None = None,
    along: Expression | None = None,
    unit: Literal["m", "rad"] = "m",
) -> None:
    """Add stops to a joint coordinate or an equation: springs, or rigid stops, below `lower` and above `upper` (rad or
    m; one or both).

    stiffness: N.m/rad or N/m; damping: N.m.s/rad or N.s/m. A stop pushes only, and its force starts from zero: the
    force of the damper is never larger than that of the spring. All may be expressions.

    restitution: 0 to 1, for rigid stops, in place of a stiffness: the ratio of the speeds after and before an impact.
    Stops and contacts that strike at one instant share the least restitution per island: those that the bodies between
    them couple. Bounds of rigid stops may depend on parameters and time. They are closures, like `contact`:
    `mbs.constraint_mode`, `mbs.impulse` and `mbs.multiplier` take NAME for one bound, NAME_lower and NAME_upper
    for two.

    along: in place of a joint coordinate, an expression of positions, as of `spring`, in the given `unit`; that of
    rigid stops may not depend on inputs and states.

    Raises ModelError for both or neither of stiffness and restitution, and if lower lies above upper.
    """
    new_name(model, name, "force")
    thing = f"limit {name!r}"
    place, own = checked_place(model, thing, on, coordinate, along=along, law="limit")
    metric = own or known_unit(unit, thing)
    if lower is None and upper is None:
        raise ModelError(f"{thing}: give lower=, upper= or both")
    low, high = (
        None if value is None else number(value, f"{what} of {thing}", metric)
        for value, what in ((lower, "lower"), (upper, "upper"))
    )
    if low is not None and high is not None and is_literal(low) and is_literal(high) and low.value > high.value:
        raise ModelError(f"{thing}: lower {low.value!r} lies above upper {high.value!r}")
    if (stiffness is None) == (restitution is None):
        raise ModelError(f"{thing}: give stiffness= of springs, or restitution= of rigid stops (0 to 1)")
    if stiffness is None:
        if not is_literal(number(damping, f"damping of {thing}", DAMPING[metric]), 0.0):
            raise ModelError(f"{thing}: rigid stops have no damping: leave it out, restitution defines the rebound")
        add_stops(model, name, place.number, low, high, checked_restitution(restitution, thing))
        return
    spring = no_less_than_zero(stiffness, f"stiffness of {thing}", STIFFNESS[metric], positive=True)
    damper = no_less_than_zero(damping, f"damping of {thing}", DAMPING[metric])
    add_force(model, Spring(name, place, Ends(low, high, spring, damper), "limit"), thing)


def add_stops(
    model: ModelData,
    name: str,
    coordinate: Expression,
    low: Expression | None,
    high: Expression | None,
    restitution: Expression,
) -> None:
    """Add rigid stops of a coordinate, one closure for each bound."""
    both = low is not None and high is not None
    bounds = ((low, 1.0, name + "_lower" * both), (high, -1.0, name + "_upper" * both))
    ends = [(bound, sign, own) for bound, sign, own in bounds if bound is not None]
    for bound, _, own in ends:
        not_taken(model, own, "loop")
        check_leaves([coordinate, bound], f"limit {name!r}")
        known_in(model, [bound, restitution], f"limit {name!r}")
    for bound, sign, own in ends:
        apart = sign * (coordinate - bound)
        model.loops[own] = Equations(own, Vector([apart]), "stop", mode=OneSided(restitution))
    model.version += 1
