"""Method of `Model` for tyres on roads."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...infrastructure.arguments import truth
from ...infrastructure.errors import ModelError
from ...infrastructure.messages.failures import display
from ...symbolic.expressions import ZERO, Expression, is_literal
from ..data import ModelData
from ..forces.contact_shapes import Plane
from ..forces.places import add_force, expressions
from ..geometry.axes import Axis, named, parallel, third_axis, unit_axis
from ..geometry.poses import placed
from ..geometry.vectors import Vector, no_less_than_zero, number, numbers
from ..items import WORLD, State
from ..motions import Turn
from ..names import known_in, new_name, not_taken, place
from ..roads import Cams, Envelope, Road
from ..roads import envelope as envelope_of
from ..tyres.cross_sections import CrossSection, Crown, Disc
from ..tyres.road_tyre import RoadTyre
from ..tyres.tyre import Tyre
from .argument_types import BodyOrName, Components, Number, Placement, Quantity

ORIGIN = (0.0, 0.0, 0.0)
#: Unit and description of each state of a tyre, by the end of its name, and of those that locate it on its road.
STATES = {
    "kappa": ("1", "longitudinal slip"), "tan_alpha": ("1", "tangent of the slip angle"),
    "spin": ("1/m", "spin of the contact"),
}  # fmt: skip
PLACE = "m", "place along the road, found where it starts,"


def tyre(
    model: ModelData,
    name: str,
    wheel: BodyOrName,
    tyre: Tyre,
    *,
    side: str | None = None,
    on: BodyOrName = WORLD,
    road: Road | None = None,
    at: Placement = ORIGIN,
    axis: Axis | None = None,
    center: Components = ORIGIN,
    transient: bool = True,
    standstill: bool = True,
    turn_slip: bool = False,
    crown: Number = 0.0,
    grip: Number = 1.0,
    near: Quantity | None = None,
    envelope: bool | Cams = False,
    scale: Number = 1.0,
) -> None:
    """Add a tyre between a wheel and a road.

    wheel: a body on a hinge; the body that carries the hinge steers and tilts the wheel. axis: direction of the spin
    axis to the left of the wheel, in its axes, by default that of the hinge, so that a positive rate rolls forward.
    center: of the wheel, m, its axes. side: "left" or "right" of the vehicle, required for tyres that differ between
    both: those of the other side are mirrored. on: the body of the road, which takes the reaction. road: its surface,
    `mbs.Plane` (default, normal "z"), `mbs.Profile`, `mbs.HeightField` or `mbs.CurvedGrid`, at the place `at` on that
    body, a position (m, body axes) or a `Pose`.

    The slips follow with the relaxation lengths of the tyre; their states are NAME.kappa and NAME.tan_alpha. On a road
    with contact parameters (`Road.parameters`), further states, such as NAME.u, m, locate the wheel on it. They start
    at the nearest place of the road's line, or at that next to `near`, u in m, where a course crosses itself.
    transient=False leaves the states out, and the forces follow at once. standstill: a damper supports the relaxation
    at low speed, so that a braked wheel stands still. turn_slip: the spin of the contact has an effect, by turning and
    by inclination, also for a wheel that is steered while the car is parked; its state is NAME.spin, 1/m. crown: radius
    of a round cross-section, m, as of tyres of motorcycles; by default the tyre is a thin disc. grip: factor of the
    coefficients of friction, which may be an expression. envelope: the tyre senses short obstacles by two cams behind
    each other; True for those of its file (`Tyre.cams`), or `mbs.Cams`; False for a contact at a point. scale: factor
    of the heights of the road, which may be an expression of parameters; with cams, it multiplies the effective height
    and slope on the road as given. Measures: `mbs.wheel`, `mbs.along`, `mbs.applied`, `mbs.strength` (the load).

    Raises ModelError for a name that is taken, an unknown body, a wheel without a hinge, an axis that is not that of
    the hinge, anything but a tyre or a road, a tyre without a side, turn slip of a tyre without QDZ8 or of another
    formula, a crown wider than the tyre's radius, an envelope of a tyre without coefficients of cams or of a road whose
    heights cannot be dilated, a road on the wheel or its carrier, and `near` on a road without contact parameters.
    """
    new_name(model, name, "force")
    thing = f"tyre {name!r}"
    body = model.known_body(wheel, thing)
    if not isinstance(tyre, Tyre):
        raise ModelError(f"{thing}: {display(tyre)} is not a tyre: give mbs.Tyre.from_tir(path) or another mbs.Tyre")
    surface = _surface(road, thing)
    base, carrier = place(model, on, thing), model.bodies[body].parent
    if base == body or base == carrier != WORLD:
        raise ModelError(f"{thing}: the road is on body {base!r}, which moves with the wheel: give another body as on=")
    position, rotation = placed(at, f"at of {thing}")
    inner, turned = surface.place()
    origin = position + Vector(Vector(row).dot(inner) for row in rotation)
    left = third_axis(_spin_axis(model, body, axis, thing))[:, [1, 2, 0]]  # the spin axis becomes the second column
    relaxing = truth(transient, f"transient of {thing}", ModelError)
    turning = truth(turn_slip, f"turn_slip of {thing}", ModelError)
    if turning:
        tyre.require_turn_slip(thing)
    states = (f"{name}.kappa", f"{name}.tan_alpha") if relaxing else ()
    spin_state = (f"{name}.spin",) if relaxing and turning else ()
    followed = tuple(f"{name}.{parameter}" for parameter in surface.parameters)
    force = RoadTyre(
        name, body, carrier, base, states, spin_state, followed, _mounted(tyre, side, thing), surface,
        numbers(center, 3, f"center of {thing}", "m"), left, origin, rotation @ turned,
        truth(standstill, f"standstill of {thing}", ModelError), turning, _cross_section(crown, tyre.radius, thing),
        no_less_than_zero(grip, f"grip of {thing}", positive=True), no_less_than_zero(scale, f"scale of {thing}"),
        _envelope(surface, tyre, envelope, thing), _near(near, surface, thing),
    )  # fmt: skip
    known_in(model, expressions(force), thing)
    _add_states(model, states + spin_state + followed, thing)
    add_force(model, force, thing)


def _surface(road: Road | None, thing: str) -> Road:
    """Return the road, by default a plane. Raises ModelError for anything else."""
    surface = Plane() if road is None else road
    if not all(callable(getattr(surface, needed, None)) for needed in ("place", "chart", "relief")):
        raise ModelError(
            f"{thing}: {display(road)} is not a road: give mbs.Plane, mbs.Profile, mbs.HeightField or mbs.CurvedGrid"
        )
    return surface


def _add_states(model: ModelData, names: tuple[str, ...], thing: str) -> None:
    """Add the states of a tyre, zero at the start. Raises ModelError for a name that is taken."""
    for name in names:
        not_taken(model, name, "state")
        unit, what = STATES.get(name.rpartition(".")[2], PLACE)
        model.states[name] = State(name, ZERO, 0.0, unit, f"{what} of {thing}")


def _cross_section(crown: Number, radius: float, thing: str) -> CrossSection:
    """Return the outline of a tyre, whose crown may be round. Raises ModelError for a radius, m, out of range."""
    round_ = no_less_than_zero(crown, f"crown of {thing}", "m")
    if is_literal(round_) and round_.value >= radius:
        raise ModelError(f"crown of {thing} is {round_.value:g} m: give less than the tyre's radius, {radius:g} m")
    return Disc() if is_literal(round_, 0.0) else Crown(radius - round_, round_)


def _near(near: Any, road: Road, thing: str) -> tuple[Expression, ...]:
    """Return the approximate place on a road, m, or none. Raises ModelError for a road without such a state."""
    if near is None:
        return ()
    if len(road.parameters) != 1:
        raise ModelError(f"{thing}: near= is the place on a curved reference line, which its road does not have")
    return (number(near, f"near of {thing}", "m"),)


def _envelope(road: Road, tyre: Tyre, given: Any, thing: str) -> Envelope | None:
    """Return the road as the cams of `envelope=` sense it, None without cams. Raises ModelError as `tyre`."""
    if not isinstance(given, (bool, np.bool_, Cams)):
        raise ModelError(
            f"envelope of {thing} is {display(given)}: give mbs.Cams(length, height, order, distance), True for the "
            "cams of the tyre's file, or False"
        )
    if not isinstance(given, Cams) and not given:
        return None
    try:
        return envelope_of(road, given if isinstance(given, Cams) else tyre.cams())
    except ModelError as error:
        raise ModelError(f"{thing}: {error}") from None


def _mounted(tyre: Tyre, side: Any, thing: str) -> Tyre:
    """Return the tyre on a side. Raises ModelError if it needs one."""
    if side is None and tyre.side is not None:
        raise ModelError(
            f"{thing}: the tyre is one of the {tyre.side} side: give side='left' or side='right' of the vehicle; a "
            "vehicle with equal tyres on both sides pulls to one"
        )
    return tyre if side is None else tyre.on(side)


def _spin_axis(model: ModelData, body: str, axis: Axis | None, thing: str) -> tuple[float, float, float]:
    """Return the direction of the spin axis, in wheel axes. Raises ModelError unless it is that of a hinge."""
    motions = model.bodies[body].joint.motions
    if len(motions) != 1 or not isinstance(motions[0], Turn):
        raise ModelError(
            f"{thing}: body {body!r} is not on a hinge: give the wheel mbs.Revolute('y') on a body that carries it"
        )
    hinge = np.array(motions[0].axis, dtype=float)
    direction = np.array(hinge if axis is None else unit_axis(axis))
    if not parallel(direction / np.linalg.norm(direction), hinge / np.linalg.norm(hinge)):
        raise ModelError(f"{thing}: axis {named(direction)} is not that of the hinge of body {body!r}, {named(hinge)}")
    x, y, z = (float(c) for c in direction / np.linalg.norm(direction))
    return x, y, z
