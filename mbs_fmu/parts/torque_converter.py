"""`torque_converter`: hydrodynamic coupling of two shafts by tables over their speed ratio."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ..infrastructure.errors import ModelError
from ..model.forces.places import joint_velocity
from ..model.geometry.vectors import number, traced
from ..model.items import BodyOrName
from ..model.measures.measures import rate
from ..model.model import Model
from ..model.names import new_name
from ..symbolic.argument_types import Number
from ..symbolic.expressions import Expression, abs, clip, max, where
from ..symbolic.tables import table, table_data

#: Numbers at the speed ratios, or a function of the speed ratio as an expression.
Characteristic = Sequence[float] | Callable[[Expression], Number]

SLOW = 1e-12  #: square of a speed (rad²/s²) below which the speed ratio is less than the quotient of the speeds
SAMPLES = 32  #: places between two speed ratios at which the power that is lost must not be negative
ROUNDING = 1e-12  #: share of the torque ratio by which rounding may create power


class TorqueConverter(NamedTuple):
    """Quantities of a torque converter, as expressions in SI units.

    speed_ratio: of the slower to the faster side if `coast` is given, else of turbine to pump, within the table.
    pump_torque: with which the pump is braked, N.m; turbine_torque: with which the turbine is driven; stator_torque:
    their difference, which the housing bears. efficiency: power of the driven over that of the driving side. loss:
    power that becomes heat, W.
    """

    speed_ratio: Expression
    pump_torque: Expression
    turbine_torque: Expression
    stator_torque: Expression
    efficiency: Expression
    loss: Expression


def torque_converter(
    model: Model,
    name: str,
    pump: BodyOrName,
    turbine: BodyOrName,
    *,
    ratios: Sequence[float],
    capacity: Characteristic,
    torque_ratio: Characteristic,
    coast: Characteristic | None = None,
) -> TorqueConverter:
    """Add a torque converter between two shafts and return its quantities (V1), (V2).

    pump, turbine: bodies whose joints turn, with one degree of freedom, about the same axis in a housing, their parent.
    ratios: speed ratios of turbine to pump, increasing, usually from 0 (stall) to 1; beyond them the numbers of the
    ends hold. capacity: torque of the pump over the square of its speed at these ratios, N.m/(rad/s)². torque_ratio:
    that of turbine to pump at these ratios. Both may be functions of the speed ratio.

    coast: capacity while the turbine is faster, the torque of both over the square of the turbine's speed, at these
    ratios of pump to turbine; the torque ratio is then 1. ratios must be from 0 to 1, and capacity and coast end with
    0. Without it, the table of the pump holds: beyond a ratio of 1 its capacity may be negative.

    The torques are the forces `NAME_pump` and `NAME_turbine`; `mbs.power` of them is the power that each shaft
    receives. Their reactions act on the parents of both joints; together they are the torque of the stator.

    Raises ModelError as `Model.motor` does, for a joint with other degrees of freedom, shafts of which one turns in the
    other, tables that are no tables, and tables that create power.
    """
    new_name(model, name, "force")
    for part in ("pump", "turbine"):
        new_name(model, f"{name}_{part}", "force")
    thing = f"torque converter {name!r}"
    ends = [_shaft(model, body, thing) for body in (pump, turbine)]
    _check_ends(model, ends, thing)
    points, _ = table_data(ratios, ratios, f"ratios of {thing}")
    _check_power(points, capacity, torque_ratio, thing)
    _check_coast(points, capacity, coast, thing)
    w_p, w_t = (rate(body) for body in ends)
    speed_ratio = _speed_ratio(w_t, w_p, points)
    multiplied = _value("torque ratio", torque_ratio, points, speed_ratio, thing)
    torque = _value("capacity", capacity, points, speed_ratio, thing) * w_p * abs(w_p)
    efficiency = speed_ratio * multiplied
    driven = multiplied * torque
    if coast is not None:
        coasts, inverse = w_t * w_t > w_p * w_p, _speed_ratio(w_p, w_t, points)
        held = -_value("coast", coast, points, inverse, thing) * w_t * abs(w_t)
        torque, driven = where(coasts, held, torque), where(coasts, held, driven)
        speed_ratio, efficiency = where(coasts, inverse, speed_ratio), where(coasts, inverse, efficiency)
    model.motor(f"{name}_pump", on=ends[0], torque=-torque)
    model.motor(f"{name}_turbine", on=ends[1], torque=driven)
    return TorqueConverter(speed_ratio, torque, driven, driven - torque, efficiency, torque * w_p - driven * w_t)


def _shaft(model: Model, body: BodyOrName, thing: str) -> str:
    """Return the name of a body whose joint has one degree of freedom, a rotation. Raises ModelError for others."""
    name, _ = joint_velocity(model, body, None, thing)
    if model.bodies[name].joint.rates[0][1] != "rad/s":
        raise ModelError(f"{thing}: body {name!r} slides in its joint: give bodies that turn, as with mbs.Revolute")
    return name


def _check_ends(model: Model, ends: Sequence[str], thing: str) -> None:
    """Raise ModelError if pump and turbine are the same shaft, or one turns in the other."""
    pump, turbine = ends
    if pump == turbine:
        raise ModelError(f"{thing}: pump and turbine are the same body {pump!r}: give two shafts")
    for inner, outer in (ends, ends[::-1]):
        if model.bodies[inner].parent == outer:
            raise ModelError(
                f"{thing}: {inner!r} turns in {outer!r}: let both turn in a housing, their parent, which bears the "
                "torque of the stator"
            )


def _speed_ratio(driven: Expression, driving: Expression, ratios: Sequence[float]) -> Expression:
    """Return the quotient of two speeds within the table; finite, and zero where the driving side stands still."""
    quotient = driven * driving / max(driving * driving, SLOW)
    return clip(quotient, ratios[0], ratios[-1])


def _value(
    what: str, given: Characteristic, ratios: Sequence[float], speed_ratio: Expression, thing: str
) -> Expression:
    """Return a characteristic at a speed ratio. Raises ModelError for a table that is none, and a function that cannot
    be traced."""
    label = f"{what} of {thing}"
    if callable(given):
        return number(traced(given, label, speed_ratio), label)
    return table(speed_ratio, *table_data(ratios, given, label))


def _check_power(ratios: Sequence[float], capacity: Characteristic, torque_ratio: Characteristic, thing: str) -> None:
    """Raise ModelError if two tables create power at some speed ratio; functions are not checked."""
    if callable(capacity) or callable(torque_ratio):
        return
    capacities, multiplied = (
        table_data(ratios, given, f"{what} of {thing}")[1]
        for what, given in (("capacity", capacity), ("torque ratio", torque_ratio))
    )
    for low, high in itertools.pairwise(ratios):
        x = np.linspace(low, high, SAMPLES + 1)
        c, k = np.interp(x, ratios, capacities), np.interp(x, ratios, multiplied)
        created = c * (x * k - 1.0)
        if (created > ROUNDING * np.abs(c)).any():
            worst = int(np.argmax(created))
            raise ModelError(
                f"{thing} creates power at the speed ratio {x[worst]:.4g}: capacity {c[worst]:.4g}, torque ratio "
                f"{k[worst]:.4g}; their product with the speed ratio must not exceed the capacity"
            )


def _check_coast(ratios: Sequence[float], capacity: Characteristic, coast: Characteristic | None, thing: str) -> None:
    """Raise ModelError if the torques of both directions would not meet at equal speeds, or coasting creates power."""
    if coast is None:
        return
    if (ratios[0], ratios[-1]) != (0.0, 1.0):
        raise ModelError(f"{thing}: with coast, ratios are from 0 to 1, not {ratios[0]:g} to {ratios[-1]:g}")
    for what, given in (("capacity", capacity), ("coast", coast)):
        if callable(given):
            continue
        values = table_data(ratios, given, f"{what} of {thing}")[1]
        if values[-1] != 0.0:
            raise ModelError(
                f"{thing}: at equal speeds, its {what} is {values[-1]:g}: with coast, end both with 0, since the "
                "torque changes its direction there"
            )
        if what == "coast" and min(values) < 0.0:
            raise ModelError(
                f"{thing}: coast has the negative number {min(values):g}, with which it would create power"
            )
