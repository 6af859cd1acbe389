"""The words of a model for what changes at an instant: events, and signals that are sampled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...arguments import truth
from ...errors import ModelError
from ...messages.failures import display
from ...messages.suggestions import did_you_mean
from ...symbolic.expressions import Expression, is_literal, leaf
from ...symbolic.graph import leaves
from ..checks import finite_number, text
from ..data import ModelData
from ..geometry.vectors import Vector, is_list, number, numbers, traced
from ..items import Event, Sampled, component_names
from ..names import known_in, new_name
from ..references.leaves import Signal
from ..units import from_si, known_unit, to_si


def sampled(
    model: ModelData,
    name: str,
    period: Any,
    update: Any,
    start: Any = 0.0,
    offset: Any = 0.0,
    unit: str | None = None,
    description: str = "",
) -> Any:
    """A signal of a digital controller: it changes at offset, offset + period, ... only (s), and is held in between.

    update: what it becomes then, an expression or a function of the signal's own value that returns one; all that is
    sampled at one time is made from the values before it. start: its value before the first sample. With a list of
    numbers as `start` it is a vector, name[1], name[2], ... in results, and `update` as many numbers:

        u = m.sampled("u", 0.01, kp * e + integral)
        integral = m.sampled("integral", 0.01, lambda x: x + ki * 0.01 * e)
        late = m.sampled("late", 0.01, lambda x: [u, x[0], x[1]], start=[0, 0, 0])[2]  # u, three samples late

    period, offset: numbers, texts such as "5 ms", or expressions of parameters. Samples at which a step begins are
    taken with the inputs that this step has: in co-simulation with those set before it. What is published at that time
    is still the old value. unit: of `start` and of the values in results and FMUs; `update` is in SI units. Returns the
    signal's expression, or its numbers, in SI units. Raises ModelError.
    """
    new_name(model, name, "sampled signal")
    thing = f"sampled signal {name!r}"
    unit = known_unit(unit, thing)
    vector = is_list(start)
    starts = tuple(finite_number(x, f"start of {thing}", unit) for x in (start if vector else [start]))
    if not starts:
        raise ModelError(f"start of {thing} has no numbers: give one, or several such as [0.0, 0.0]")
    own = Vector(to_si(leaf(Signal("sampled", x)), unit) for x in component_names(name, len(starts), vector))
    if callable(update):
        update = traced(update, f"update of {thing}", own if vector else own[0])
    said = f"update of {thing}"
    values = numbers(update, len(starts), said) if vector else Vector([number(update, said)])
    known_in(model, values, said)
    values = Vector(from_si(x, unit) for x in values)
    period, offset = _of_parameters(period, f"period of {thing}"), _of_parameters(offset, f"offset of {thing}")
    if is_literal(period) and not period.value > 0.0:
        raise ModelError(f"period of {thing} is {period.value:g} s: give a positive one")
    told = text(description, f"description of {thing}")
    model.sampled_signals[name] = Sampled(name, values, vector, period, offset, starts, unit, told)
    model.version += 1
    return own if vector else own[0]


def _of_parameters(value: Any, thing: str) -> Expression:
    """A number, or an expression of parameters."""
    told = number(value, thing, "s")
    for reference in leaves([told]):
        if not (isinstance(reference, Signal) and reference.role == "parameter"):
            raise ModelError(f"{thing} depends on {reference}: it may depend on parameters only")
    return told


def event(
    model: ModelData,
    name: str,
    expression: Any,
    direction: int = 0,
    stop: bool = False,
    reset: Mapping[str, Any] | None = None,
) -> None:
    """A zero crossing to be found: `simulate` returns its times as `result.events[name]`.

    expression: a number of the motion, as for outputs. direction: +1 rising, -1 falling, 0 both.
    stop: end the run there. A zero is one event: where it is reached in this direction, else where it is left in it.
    One from which the run starts and which it leaves at once is none.
    reset: new values behind the event, numbers or expressions of the values before it, in SI units, by the names of
    start values ("arm.w", a state's or sampled signal's own); all of them change at once:

        m.event("bounce", mbs.coordinate("ball"), direction=-1, reset={"ball.v": -0.8 * mbs.rate("ball")})

    Closed loops stay closed by an impact; coordinates in them can't be reset. What is thrown back ever more often, as
    this ball, has no end: for contacts there is `m.contact`. Raises ModelError.
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
        raise ModelError(f"event {name!r} ends the run, and nothing comes behind its reset: leave out stop or reset")
    model.events[name] = Event(name, value, int(direction), ends, resets)
    model.version += 1


def _resets(model: ModelData, reset: Any, thing: str) -> tuple[tuple[str, Expression], ...]:
    """The new values by name; ModelError for what no start value is called, and for no number."""
    if not isinstance(reset, Mapping):
        raise ModelError(f"{thing} is {display(reset)}: give new values by name, such as {{'arm.w': 0.0}}")
    there = _started(model)
    told = []
    for name, value in reset.items():
        if name not in there:
            have = ", ".join(there) or "nothing yet"
            raise ModelError(f"{thing}: unknown {display(name)}{did_you_mean(name, there)}; what can be reset: {have}")
        told.append((name, from_si(number(value, f"{thing}, {name}"), there[name])))
    known_in(model, [value for _, value in told], thing)
    return tuple(told)


def _started(model: ModelData) -> dict[str, str | None]:
    """The units of all that starts with a value, by name: coordinates and rates, states, sampled signals."""
    out: dict[str, str | None] = {}
    for body in model.bodies.values():
        out |= {f"{body.name}.{suffix}": unit for suffix, unit in (*body.coordinates, *body.rates)}
    out |= {name: state.unit for name, state in model.states.items()}
    return out | {name: s.unit for s in model.sampled_signals.values() for name in s.names}
