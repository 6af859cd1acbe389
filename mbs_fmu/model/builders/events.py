"""Methods of `Model` for events with their resets, and for sampled signals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...infrastructure.arguments import truth
from ...infrastructure.errors import ModelError
from ...infrastructure.messages.failures import display
from ...infrastructure.messages.suggestions import did_you_mean
from ...symbolic.expressions import Expression, is_literal, leaf
from ...symbolic.graph import leaves
from ...symbolic.units import from_si, known_unit, to_si
from ..checks import finite_number, text
from ..data import ModelData
from ..geometry.vectors import Vector, is_list, number, numbers, traced
from ..items import Body, Event, Sampled, component_names
from ..names import known_in, new_name
from ..references.leaves import Signal
from .argument_types import Number, Quantity, Update


def sampled(
    model: ModelData,
    name: str,
    period: Quantity,
    update: Update,
    start: Quantity | Sequence[Quantity] | np.ndarray = 0.0,
    offset: Quantity = 0.0,
    unit: str | None = None,
    description: str = "",
) -> Any:
    """Add a sampled signal, as in a digital controller: it is updated at offset, offset + period, ... and held between.

    update: new value, an expression or a function of the signal's present value that returns one; all updates and
    resets at one instant read the state before it and are assigned together. start: value before the first sample. A
    list of numbers as `start` makes the signal a vector, name[1], name[2], ... in results, whose `update` has as many
    numbers:

        u = m.sampled("u", 0.01, kp * e + integral)
        integral = m.sampled("integral", 0.01, lambda x: x + ki * 0.01 * e)
        late = m.sampled("late", 0.01, lambda x: [u, x[0], x[1]], start=[0, 0, 0])[2]  # u, three samples late

    period, offset: s; numbers, texts such as "5 ms", or expressions of parameters. A sample reads the left limit of the
    state (at an impact the velocities before it) and the right limit of the inputs (at a jump the value behind it, in
    co-simulation those set before the step). The row at that instant shows the old value, and a sample that is due at
    the end of a run is not taken. `result.log` lists all samples.
    unit: unit of `start` and of the values in results and FMUs; `update` is in SI units.

    Returns the signal as an expression in SI units, or as a `Vector` of these if `start` is a list. Raises ModelError
    for a name that is taken, an unknown unit, and values that are not numbers.
    """
    new_name(model, name, "sampled signal")
    thing = f"sampled signal {name!r}"
    unit = known_unit(unit, thing)
    vector = is_list(start)
    items: Any = start if vector else [start]
    starts = tuple(finite_number(x, f"start of {thing}", unit) for x in items)
    if not starts:
        raise ModelError(f"start of {thing} has no numbers: give one, or several such as [0.0, 0.0]")
    own = Vector(to_si(leaf(Signal("sampled", x)), unit) for x in component_names(name, len(starts), vector))
    if callable(update):
        update = traced(update, f"update of {thing}", own if vector else own[0])
    what = f"update of {thing}"
    values = numbers(update, len(starts), what) if vector else Vector([number(update, what)])
    known_in(model, values, what)
    values = Vector(from_si(x, unit) for x in values)
    interval, first = _of_parameters(period, f"period of {thing}"), _of_parameters(offset, f"offset of {thing}")
    if is_literal(interval) and not interval.value > 0.0:
        raise ModelError(f"period of {thing} is {interval.value:g} s: give a positive one")
    line = text(description, f"description of {thing}")
    model.sampled_signals[name] = Sampled(name, values, vector, interval, first, starts, unit, line)
    model.version += 1
    return own if vector else own[0]


def _of_parameters(value: Any, thing: str) -> Expression:
    """Return a time, s; ModelError unless it is a number or an expression of parameters."""
    time = number(value, thing, "s")
    for reference in leaves([time]):
        if not (isinstance(reference, Signal) and reference.role == "parameter"):
            raise ModelError(f"{thing} depends on {reference}: it may depend on parameters only")
    return time


def event(
    model: ModelData,
    name: str,
    expression: Number,
    direction: int = 0,
    stop: bool = False,
    reset: Mapping[str, Number] | None = None,
) -> None:
    """Locate the zero crossings of an expression; `simulate` returns their times as `result.events[name]`.

    expression: any quantity that an output may have. direction: +1 rising, -1 falling, 0 both. stop: end the run at the
    event; if the motion reaches it, nothing else takes effect at that instant. Each zero is one event: at the instant
    at which the expression reaches zero in this direction, or else leaves it in this direction. A zero at the start of
    the run is not an event if the expression leaves it at once.
    reset: values after the event, numbers or expressions of the values before it, in SI units, by the names of start
    values ("arm.w", or the name of a state or a sampled signal). All resets and samples at one instant read the state
    before it (at an impact the velocities before it) and are assigned together, before constraint modes change:

        m.event("bounce", mbs.coordinate("ball"), direction=-1, reset={"ball.v": -0.8 * mbs.rate("ball")})

    After a reset of velocities an impact keeps loops closed; coordinates of joints in loops cannot be reset. The
    bounces of this ball become ever shorter, and their sequence never ends: use `m.contact` for contacts. A reset that
    is due at the end of a run does not take effect. `result.log` lists all events with their order.

    Raises ModelError for a name that is taken, a constant expression, and a reset of an unknown name.
    """
    new_name(model, name, "event")
    if not isinstance(direction, (int, np.integer)) or direction not in (-1, 0, 1):
        raise ModelError(
            f"direction of event {name!r} is {display(direction)}: use 1 (rising), -1 (falling) or 0 (both)"
        )
    ends = truth(stop, f"stop of event {name!r}", ModelError)
    value = number(expression, f"event {name!r}")
    known_in(model, [value], f"event {name!r}")
    if is_literal(value):
        raise ModelError(f"event {name!r} is the constant {value.value:g}, which never changes sign")
    resets = _resets(model, {} if reset is None else reset, f"reset of event {name!r}")
    if ends and resets:
        raise ModelError(f"event {name!r} ends the run, and nothing follows its reset: leave out stop or reset")
    model.events[name] = Event(name, value, int(direction), ends, resets)
    model.version += 1


def _resets(model: ModelData, reset: Any, thing: str) -> tuple[tuple[str, Expression], ...]:
    """Return the new values by name. Raises ModelError for unknown names and for anything but numbers."""
    if not isinstance(reset, Mapping):
        raise ModelError(f"{thing} is {display(reset)}: give new values by name, such as {{'arm.w': 0.0}}")
    resets = []
    for name, value in reset.items():
        known, unit = _start_unit(model, name)
        if not known:
            units = _start_units(model)
            have = ", ".join(units) or "nothing yet"
            raise ModelError(f"{thing}: unknown {display(name)}{did_you_mean(name, units)}; what can be reset: {have}")
        resets.append((name, from_si(number(value, f"{thing}, {name}"), unit)))
    known_in(model, [value for _, value in resets], thing)
    return tuple(resets)


def _start_unit(model: ModelData, name: Any) -> tuple[bool, str | None]:
    """Return whether a start value of this name exists, and its unit; without a search through all bodies."""
    body = model.bodies.get(name.rpartition(".")[0]) if isinstance(name, str) else None
    units = _start_units_of(body) if body else _other_start_units(model)
    return name in units, units.get(name)


def _start_units(model: ModelData) -> dict[str, str | None]:
    """Return the units of all start values by name: of coordinates and rates, states, and sampled signals."""
    units: dict[str, str | None] = {}
    for body in model.bodies.values():
        units |= _start_units_of(body)
    return units | _other_start_units(model)


def _start_units_of(body: Body) -> dict[str, str | None]:
    return {f"{body.name}.{suffix}": unit for suffix, unit in (*body.coordinates, *body.rates)}


def _other_start_units(model: ModelData) -> dict[str, str | None]:
    units = {name: state.unit for name, state in model.states.items()}
    return units | {name: s.unit for s in model.sampled_signals.values() for name in s.names}
