"""Belts with creep and slip, toothed belts, and ropes over pulleys and drums."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..infrastructure.errors import ModelError
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.failures import display
from ..model.checks import finite_number
from ..model.forces.characteristics import Ends
from ..model.forces.places import add_force
from ..model.forces.springs import Spring
from ..model.geometry.vectors import is_list, no_less_than_zero, numbers, of_parameters
from ..model.items import Body, BodyOrName
from ..model.measures.forces import strength
from ..model.model import Model
from ..model.names import new_name, not_taken, place
from ..model.places import Place as ForcePlace
from ..symbolic.argument_types import Components, Quantity
from ..symbolic.expressions import ZERO, Expression, is_literal, sin
from ..symbolic.vectors import ORIGIN
from .creeping import CreepingBelt, CreepLaw
from .lines import Line, Place, line_over, sign_of

LONGEST = 0.02  #: strain at the start beyond which a belt is too short for its path
CREEP = 1e-3  #: m/s, default of `creep`


@dataclass(frozen=True)
class Pulley:
    """A pulley of a belt, or a sheave or drum of a rope: a body that turns about its origin.

    radius: m, to the cords of the belt. turn: 1 if the belt runs counterclockwise round it, about the axis of the first
    pulley; -1 if it runs clockwise, as with its back on an idler.

    Raises ModelError for a radius that is not positive and for any other turn.
    """

    body: BodyOrName
    radius: float | str
    turn: int = 1

    def __post_init__(self) -> None:
        thing = f"pulley {label(self.body)}"
        radius = finite_number(self.radius, f"radius of {thing}", "m")
        if not radius > 0.0:
            raise ModelError(f"radius of {thing} is {radius:g} m: it must be positive")
        object.__setattr__(self, "radius", radius)
        sign_of(self.turn, thing)


class Belt(NamedTuple):
    """Quantities of a belt or rope, as expressions in SI units.

    tensions: of the spans, N; span i runs from place i to the next one. slips: speed of the pulleys' surfaces minus
    that of the belt, m/s; zero at points, on drums and without friction. wraps: angles of wrap, rad; zero at ends.
    lengths: of the spans, m. loss: power that slip, creep and drums take, W; zero without friction.
    """

    tensions: list[Expression]
    slips: list[Expression]
    wraps: list[Expression]
    lengths: list[Expression]
    loss: Expression


def belt(
    model: Model,
    name: str,
    over: Sequence[Pulley | tuple[BodyOrName, Components]],
    *,
    stiffness: Quantity,
    preload: Quantity = 0.0,
    friction: Quantity | None = None,
    creep: Quantity | None = None,
    groove: Quantity | None = None,
    mass: Quantity | None = None,
    damping: Quantity | None = None,
    closed: bool = True,
    carrier: BodyOrName | None = None,
) -> Belt:
    """Add a belt over pulleys or, with closed=False, a rope between points and drums; return its quantities.

    over: `Pulley`s in the order in which the belt meets them. A rope begins and ends at a point (body, (x, y, z)), m in
    body axes, also of the "world", or on a `Pulley`, a drum that winds it up. Pulleys may hang on different bodies and
    move in the plane of the belt, as on the arm of a tensioner; the belt pulls at their bodies.

    stiffness: EA, tension per strain, N. preload: tension of all spans at the start, N. Both may be expressions of
    parameters. With `friction`, the coefficient of friction, the belt creeps and slips (M3); without it, it does not
    slip, like a toothed belt. The following may be any expressions. With friction only: creep, scale of the slip
    speed, m/s, by default 1 mm/s; groove, angle between the flanks of a V-belt, rad; mass of the belt per length, kg/m,
    for its centrifugal tension. Without friction only: damping, force per rate of strain, N.s.

    carrier: body in which the plane of the belt is fixed, by default the innermost one from which all pulleys branch
    off.

    The spans are forces `NAME_span1`, ..., which never push. With friction their tensions are states `NAME_tension1`,
    ..., which begin with the preload at every start and are negative while a span is slack. Without friction the belt
    has the preload at the start values that the model has when this function is called; other start values stretch it.

    Raises ModelError for fewer than two pulleys (or places of a rope), an unknown body, neighbours on one body, axes
    that are not parallel, circles that overlap, angles of wrap outside 5 to 350 degrees, a preload that stretches the
    belt by more than 2 percent, and numbers out of range; all at the present start values, before loops are assembled.
    """
    new_name(model, name, "force")
    thing = f"belt {name!r}"
    places = _places(model, over, closed, thing)
    held = None if carrier is None else place(model, carrier, f"carrier of {thing}")
    line = line_over(model, places, closed, held, thing, "pulley")
    for i in range(len(line.path.spans)):
        not_taken(model, f"{name}_span{i + 1}", "force")
    force = of_parameters(
        no_less_than_zero(stiffness, f"stiffness of {thing}", "N", positive=True), f"stiffness of {thing}"
    )
    tension = of_parameters(no_less_than_zero(preload, f"preload of {thing}", "N"), f"preload of {thing}")
    _check_length(line, tension / force, thing)
    if friction is None:
        _without_effect({"creep": creep, "groove": groove, "mass": mass}, thing, "without friction=: give that too")
        damper = no_less_than_zero(0.0 if damping is None else damping, f"damping of {thing}", "N.s")
        return _toothed(model, name, line, force, tension / force, damper, thing)
    _without_effect({"damping": damping}, thing, "with friction=, which damps by itself: leave it out")
    law = _law(force, tension, friction, creep, groove, mass, thing)
    creeping = CreepingBelt(name, line, law)
    creeping.add_to(model)
    lengths = [span.reach for span in line.path.spans]
    return Belt(creeping.tensions, creeping.slips, line.path.wraps, lengths, creeping.loss)


def _toothed(
    model: Model, name: str, line: Line, stiffness: Expression, strain: Expression, damping: Expression, thing: str
) -> Belt:
    """Add a belt that does not slip (M13) and return its quantities. Raises ModelError for pulleys without an angle."""
    for item, turns in zip(line.places, line.turns, strict=True):
        if turns.angle is None:
            raise ModelError(
                f"{thing}: body {item.body!r} does not move in the plane of the belt, so its turns can't be counted: "
                "give friction=, or carrier="
            )
    path = line.path
    tensions = []
    for i in range(len(path.spans)):
        stretch = line.string(path, i) - line.start_string(i) + strain * line.start.length(i)
        length = path.length(i)
        # its rate by the velocities of the pulleys' bodies, not by coordinates: then their bearings hold the pull
        tightens = ForcePlace(stretch, line.string_rate(i))
        law = Ends(None, ZERO, stiffness / length, damping / length)
        add_force(model, Spring(f"{name}_span{i + 1}", tightens, law, "limit"), thing)
        tensions.append(-strength(f"{name}_span{i + 1}"))
    return Belt(tensions, [ZERO] * len(line.places), path.wraps, [span.reach for span in path.spans], ZERO)


def _law(
    stiffness: Expression,
    preload: Expression,
    friction: Quantity,
    creep: Quantity | None,
    groove: Quantity | None,
    mass: Quantity | None,
    thing: str,
) -> CreepLaw:
    """Return the checked numbers of a belt with friction."""
    coefficient = no_less_than_zero(friction, f"friction of {thing}", positive=True)
    if groove is not None:
        flanks = no_less_than_zero(groove, f"groove of {thing}", "rad", positive=True)
        if is_literal(flanks) and not flanks.value < math.pi:
            raise ModelError(f'groove of {thing} is {flanks.value:g} rad: give less than 180 deg, such as "38 deg"')
        coefficient = coefficient / sin(0.5 * flanks)
    return CreepLaw(
        stiffness,
        preload,
        coefficient,
        no_less_than_zero(CREEP if creep is None else creep, f"creep of {thing}", "m/s", positive=True),
        no_less_than_zero(0.0 if mass is None else mass, f"mass of {thing}", "kg/m"),
    )


def _without_effect(given: dict[str, Any], thing: str, why: str) -> None:
    for argument, value in given.items():
        if value is not None:
            raise ModelError(f"{thing}: {argument}= has no effect {why}")


def _check_length(line: Line, strain: Expression, thing: str) -> None:
    """Raise ModelError for a belt that is much shorter than its path."""
    stretched = line.poses.number(strain)
    if stretched > LONGEST:
        raise ModelError(
            f"{thing}: its preload stretches it by {100.0 * stretched:.3g} percent: it may be at most "
            f"{100.0 * LONGEST:g} percent shorter than its path; lower preload= or raise stiffness="
        )


def _places(model: Model, over: Any, closed: bool, thing: str) -> list[Place]:
    """Return the checked places of a belt or rope."""
    items = list(over) if is_list(over) else [over]
    places = [_place(model, item, k, thing) for k, item in enumerate(items, start=1)]
    wheels = [item.is_wheel for item in places]
    if closed and not all(wheels):
        raise ModelError(
            f"{thing}: place {wheels.index(False) + 1} is a point: a closed belt runs over mbs.Pulley only"
        )
    if len(places) < 2 or not any(wheels):
        wanted = "give at least two" if closed else "give two places or more, one of them an mbs.Pulley"
        raise ModelError(f"{thing} runs over {wheels.count(True)} pulleys: {wanted}")
    if not all(wheels[1:-1]):
        raise ModelError(
            f"{thing}: place {wheels[1:-1].index(False) + 2} is a point between others: only its ends may be points; "
            "m.rope runs through eyes"
        )
    return places


def _place(model: Model, item: Any, k: int, thing: str) -> Place:
    """Return a checked place, the k-th from 1."""
    if isinstance(item, Pulley):
        return Place(model.known_body(item.body, thing), ORIGIN, item.turn * float(item.radius))
    if isinstance(item, tuple) and len(item) == 2:
        body = place(model, item[0], thing)
        return Place(body, numbers(item[1], 3, f"point {k} of {thing}", "m"), 0.0)
    raise ModelError(
        f"place {k} of {thing} is {display(item)}: give mbs.Pulley(body, radius), or a point (body, (x, y, z))"
    )


def label(body: Any) -> str:
    """Return the name of a body, passed as a `Body` or by name, for messages."""
    return display(body.name if isinstance(body, Body) else body)
