"""Roller chains over sprockets, with the polygon effect."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..infrastructure.arguments import is_whole
from ..infrastructure.errors import ModelError
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.failures import display
from ..model.checks import finite_number
from ..model.geometry.vectors import is_list, no_less_than_zero
from ..model.items import BodyOrName, body_label
from ..model.measures.forces import strength
from ..model.measures.measures import multiplier
from ..model.model import Model
from ..model.names import new_name, not_taken
from ..symbolic.argument_types import Quantity
from ..symbolic.expressions import ZERO, Expression, atan2, cos, max, sin
from ..symbolic.vectors import ORIGIN
from .belts import label
from .lines import Line, Place, line_over, sign_of

LEAST_TEETH = 5


@dataclass(frozen=True)
class Sprocket:
    """A sprocket of a chain: a body that turns about its origin, with a number of teeth.

    turn: 1 if the chain runs counterclockwise round it, about the axis of the first sprocket; -1 if clockwise.

    Raises ModelError for fewer than five teeth, a number that is not whole, and any other turn.
    """

    body: BodyOrName
    teeth: int
    turn: int = 1

    def __post_init__(self) -> None:
        thing = f"sprocket {label(self.body)}"
        if not is_whole(self.teeth) or self.teeth < LEAST_TEETH:
            raise ModelError(f"teeth of {thing}: {display(self.teeth)}: give a whole number from {LEAST_TEETH} on")
        sign_of(self.turn, thing)


class Chain(NamedTuple):
    """Quantities of a chain, as expressions in SI units.

    tensions: of the strands, N; strand i runs from sprocket i to the next one. stretches: by how much the sprockets
    lengthen each strand, m; their sum is zero. wraps: angles of wrap on the pitch circles, rad. lengths: of the strands
    between the pitch circles, m.
    """

    tensions: list[Expression]
    stretches: list[Expression]
    wraps: list[Expression]
    lengths: list[Expression]


def chain(
    model: Model,
    name: str,
    over: Sequence[Sprocket],
    *,
    pitch: float | str,
    stiffness: Quantity | None = None,
    damping: Quantity | None = None,
    slack: Quantity | None = None,
) -> Chain:
    """Add a chain over sprockets with fixed centres; return its quantities. The polygon effect is included (M4).

    over: `Sprocket`s in the order in which the chain meets them. pitch: m. stiffness: of each strand, N/m, with
    damping, N.s/m; a strand never pushes. Then the strands are forces `NAME_strand1`, .... None: the chain is rigid, a
    closure with this name. slack: length by which an elastic chain is longer than its path, m: the play of the
    sprockets. These numbers may be expressions. At zero coordinates no strand is stretched, and each has an equal part
    of the slack; the sprockets then drive the chain at its largest speed.

    The chain acts along the turns of the sprockets: reactions of their bearings do not contain its pull.

    Raises ModelError for fewer than two sprockets, an unknown body, the same body twice, sprockets that do not turn
    about fixed parallel axes of one body, circles that overlap, angles of wrap outside 5 to 350 degrees, slack or
    damping without a stiffness, and numbers out of range.
    """
    new_name(model, name, "loop" if stiffness is None else "force")
    thing = f"chain {name!r}"
    length = finite_number(pitch, f"pitch of {thing}", "m")
    if not length > 0.0:
        raise ModelError(f"pitch of {thing} is {length:g} m: it must be positive")
    sprockets = _sprockets(over, thing)
    line = _line(model, sprockets, length, thing)
    travels = [item.turn * _advance(line, k, item.teeth, length) for k, item in enumerate(sprockets)]
    stretches = [travels[b] - travels[a] for a, b in map(line.path.ends_of, range(len(sprockets)))]
    if stiffness is None:
        for argument, value in (("slack", slack), ("damping", damping)):
            if value is not None:
                raise ModelError(f"{thing}: {argument}= is for an elastic chain: give stiffness= too, N/m")
        model.constrain(name, stretches[:-1])
        tensions = _rigid_tensions(name, len(stretches))
    else:
        tensions = _elastic(model, name, stretches, stiffness, damping, slack, thing)
    return Chain(tensions, stretches, line.path.wraps, [span.reach for span in line.path.spans])


def _sprockets(over: Any, thing: str) -> list[Sprocket]:
    """Return at least two sprockets. Raises ModelError for anything else."""
    items = list(over) if is_list(over) else [over]
    for item in items:
        if not isinstance(item, Sprocket):
            raise ModelError(f"{thing} runs over {display(item)}: give mbs.Sprocket(body, teeth)")
    if len(items) < 2:
        raise ModelError(f"{thing} runs over {len(items)} sprockets: give at least two")
    return items


def _line(model: Model, sprockets: Sequence[Sprocket], pitch: float, thing: str) -> Line:
    """Return the path on the pitch circles. Raises ModelError for sprockets whose centres move."""
    places = [Place(model.known_body(s.body, thing), ORIGIN, s.turn * _pitch_radius(s.teeth, pitch)) for s in sprockets]
    line = line_over(model, places, True, None, thing, "sprocket")
    for k, wheel in enumerate(places):
        if line.turns[k].angle is None or not line.is_fixed(k):
            raise ModelError(
                f"{thing}: {body_label(wheel.body)} does not turn about a fixed axis of "
                f"{body_label(line.plane.carrier)}, as all sprockets must: mbs.belt takes pulleys that move"
            )
    return line


def _pitch_radius(teeth: int, pitch: float) -> float:
    """Return the radius of the circle through the rollers, m."""
    return pitch / (2.0 * math.sin(math.pi / teeth))


def _advance(line: Line, k: int, teeth: int, pitch: float) -> Expression:
    """Return the travel of a chain by a sprocket (M4), m."""
    angle = line.turns[k].angle
    assert angle is not None
    within = atan2(sin(teeth * angle), cos(teeth * angle)) / teeth
    return _pitch_radius(teeth, pitch) * sin(within) + pitch * teeth / (2.0 * math.pi) * (angle - within)


def _rigid_tensions(name: str, count: int) -> list[Expression]:
    """Return the tensions of the strands of a rigid chain, the least of which is zero."""
    pulls = [-multiplier(name, i + 1) for i in range(count - 1)] + [ZERO]
    least = ZERO
    for pull in pulls[:-1]:
        least = max(least, -pull)
    return [least + pull for pull in pulls]


def _elastic(
    model: Model,
    name: str,
    stretches: Sequence[Expression],
    stiffness: Quantity,
    damping: Quantity | None,
    slack: Quantity | None,
    thing: str,
) -> list[Expression]:
    """Add the strands of an elastic chain and return their tensions."""
    for i in range(len(stretches)):
        not_taken(model, f"{name}_strand{i + 1}", "force")
    k = no_less_than_zero(stiffness, f"stiffness of {thing}", "N/m", positive=True)
    d = no_less_than_zero(0.0 if damping is None else damping, f"damping of {thing}", "N.s/m")
    play = no_less_than_zero(0.0 if slack is None else slack, f"slack of {thing}", "m") / len(stretches)
    tensions = []
    for i, stretch in enumerate(stretches, start=1):
        model.limit(f"{name}_strand{i}", along=stretch, upper=play, stiffness=k, damping=d)
        tensions.append(-strength(f"{name}_strand{i}"))
    return tensions
