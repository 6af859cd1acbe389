"""Methods of `Model` for signals: inputs, states and outputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.messages.failures import display
from ...record.kinds import REAL
from ...symbolic.expressions import Expression, is_literal, leaf
from ...symbolic.graph import leaves
from ...symbolic.units import from_si, known_unit, to_si
from ..checks import OUTPUT_NAME, RESERVED, check_range, signal_range, text
from ..data import ModelData
from ..geometry.poses import Pose
from ..geometry.vectors import Vector, is_list, number, numbers, traced
from ..items import Input, Output, State
from ..kinds import Kind, as_number, first_of_kind, range_of_kind, require_values_of_kind, start_of_kind
from ..measures.along import Along
from ..measures.deformations import Deformation, SectionForces
from ..measures.forces import WheelContact
from ..measures.measures import Twist, Wrench
from ..names import known_in, new_name, not_taken
from ..references.leaves import MechanicalEnergy, Signal
from .argument_types import Number, Quantity
from .starts import start_number


def input(
    model: ModelData,
    name: str,
    unit: str | None = None,
    start: float | str | None = None,
    description: str = "",
    *,
    min: float | str | None = None,
    max: float | str | None = None,
    nominal: float | str | None = None,
    kind: Kind = REAL,
) -> Expression:
    """Add an input, a signal from outside the model, and return it as an expression in SI units.

    unit: unit of its values in runs and FMUs, and of the numbers here. start: value in runs that do not set it; without
    it `simulate` requires a value, and an FMU starts at zero. min, max: bounds of its values; runs refuse constants and
    tables beyond them, importers read them. nominal: usual magnitude, for importers.

    kind: "real", "boolean", "integer", or a list of names, the values of an enumeration. In formulas a Boolean is 0 or
    1, an integer a whole number of 32 bits, and the values of an enumeration are numbered from `min`, by default from
    1; its start may be a name. Such inputs have no unit; they are constant between their changes, so runs do not
    interpolate their tables. In FMUs they have a type of their own.

    Raises ModelError for a name that is taken, an unknown unit or kind, values that are not numbers, or not of the
    kind, and a start value outside min .. max.
    """
    new_name(model, name, "input")
    thing = f"input {name!r}"
    unit = known_unit(unit, thing)
    limits = range_of_kind(kind, signal_range(min, max, nominal, unit, thing), unit, thing)
    value = first_of_kind(limits) if start is None else start_of_kind(start, limits, unit, f"start of {thing}")
    if start is not None:
        check_range(value, limits, unit, "start of input", name)
    line = text(description, f"description of {thing}")
    model.inputs[name] = Input(name, unit, value, line, limits, start is not None)
    model.version += 1
    return to_si(leaf(Signal("input", name)), unit)


def state(
    model: ModelData,
    name: str,
    rate: Number | Callable[[Expression], Any],
    start: Quantity = 0.0,
    unit: str | None = None,
    description: str = "",
    *,
    energy: Number | Callable[[Expression], Any] | None = None,
) -> Expression:
    """Add a signal state, such as the integral of a controller, and return it as an expression in SI units.

    rate: time derivative in SI units, an expression or a function of the state's expression that returns one. start: a
    number in the state's unit, or an expression of parameters in SI units. unit: unit of its values in results and
    FMUs. energy: energy that the state stores, J, which `mbs.energy()` then includes: an expression of this and other
    quantities, or a function of the state's expression, such as `lambda i: 0.5 * L * i * i` of a coil.

    Raises ModelError for a name that is taken, an unknown unit, and values that are not numbers.
    """
    new_name(model, name, "state")
    unit = known_unit(unit, f"state {name!r}")
    own = to_si(leaf(Signal("state", name)), unit)
    law = from_si(_of_state(model, rate, own, f"rate of state {name!r}"), unit)
    stored = None if energy is None else _stored(model, energy, own, f"energy of state {name!r}")
    add_state(model, State(name, law, 0.0, unit, text(description, f"description of state {name!r}"), stored), start)
    return own


def _of_state(model: ModelData, law: Any, own: Expression, thing: str) -> Expression:
    """Return a law, given as an expression or as a function of the state's own expression."""
    checked = number(traced(law, thing, own) if callable(law) else law, thing)
    known_in(model, [checked], thing)
    return checked


def _stored(model: ModelData, energy: Any, own: Expression, thing: str) -> Expression:
    """Return the energy of a state, J. Raises ModelError if it depends on the energy of which it is a part."""
    stored = _of_state(model, energy, own, thing)
    if any(isinstance(reference, MechanicalEnergy) for reference in leaves([stored])):
        raise ModelError(f"{thing} depends on mbs.energy(), of which it is a part: leave that out")
    return stored


def add_state(model: ModelData, state: State, start: Any) -> None:
    """Add a state to the model, with its start value as `start_number` accepts it. Raises ModelError as that."""
    value, start_law = start_number(model, start, state.unit, f"start of state {state.name!r}")
    model.states[state.name] = replace(state, start=value)
    if start_law is not None:
        model.start_laws[state.name] = start_law
    model.version += 1


def output(
    model: ModelData,
    name: str,
    value: (
        Number
        | Sequence[Number]
        | np.ndarray
        | Wrench
        | Twist
        | Pose
        | Deformation
        | SectionForces
        | WheelContact
        | Along
    ),
    unit: str | None = None,
    description: str = "",
    *,
    min: float | str | None = None,
    max: float | str | None = None,
    nominal: float | str | None = None,
    kind: Kind = REAL,
) -> None:
    """Add an output, a number or a vector; the components of a vector are name[1], name[2], ...

    value: in SI units. unit: unit in results and FMUs, and of min, max and nominal: with "mm", 0.005 becomes 5.

    kind: "real", "boolean", "integer", or names of the values of an enumeration, as of an `input`. The value must then
    be constant between events; that of a Boolean may be a condition, such as `mbs.coordinate(arm) > 1.2`.

    A value with two parts becomes two outputs: a wrench name.f (N) and name.t (N.m), a twist name.v (m/s) and name.w
    (rad/s), a pose name.position (m) and name.orientation, a deformation name.d (m) and name.theta (rad),
    section forces name.force (N) and name.moment (N.m), and a wheel (`mbs.wheel`) and a place on a road
    (`mbs.along`) one output for each of their numbers.

    Raises ModelError for a name that is taken, an unknown unit, anything but numbers, and for `body.position`, the
    constant place of a joint, which is not `mbs.position(body)`.
    """
    parts = PARTS.get(type(value), ())
    for part, attribute, part_unit in parts:
        entries = getattr(value, attribute)
        output(model, f"{name}.{part}", entries, part_unit, description, min=min, max=max, nominal=nominal, kind=kind)
    if parts:
        return
    if not isinstance(name, str) or not OUTPUT_NAME.match(name):
        raise ModelError(f"output name {display(name)} must be an identifier, or identifiers joined by dots")
    if name in RESERVED:
        raise ModelError(f"output name {name!r} is reserved: choose another")
    not_taken(model, name, "output")
    _require_moving(model, name, value)
    vector = is_list(value)
    count = len(cast(Any, value)) if vector else 1
    if count == 0:
        raise ModelError(f"output {name!r} has no numbers: give one, or several such as mbs.position(body)")
    unit = known_unit(unit, f"output {name!r}")
    limits = signal_range(min, max, nominal, unit, f"output {name!r}")
    limits = range_of_kind(kind, limits, unit, f"output {name!r}")
    thing = f"output {name!r}"
    value = [as_number(x, limits, thing) for x in cast(Any, value)] if vector else as_number(value, limits, thing)
    items = numbers(value, count, f"output {name!r}") if vector else Vector([number(value, f"output {name!r}")])
    known_in(model, items, f"output {name!r}")
    items = Vector(from_si(item, unit) for item in items)
    line = text(description, f"description of output {name!r}")
    added = Output(name, items, vector, unit, line, limits)
    require_values_of_kind(added)
    model.outputs[name] = added
    model.version += 1


def _require_moving(model: ModelData, name: str, value: Any) -> None:
    """Raise ModelError for the position of a body's joint on its parent, which `Body.position` contains."""
    if isinstance(value, Expression) and not is_literal(value):
        return
    for body in model.bodies.values():
        for k, place in enumerate((body.position, *body.position)):
            if value is not place:
                continue
            wanted = f"mbs.position({body.name!r})" + (f"[{k - 1}]" if k else "")
            raise ModelError(
                f"output {name!r} is {body.name}.position, the constant place of the body's joint on its parent: for "
                f"the position in the world write {wanted}"
            )


#: Values that become several outputs: name, attribute and unit of each.
PARTS: dict[type, tuple[tuple[str, str, str | None], ...]] = {
    Wrench: (("f", "f", "N"), ("t", "t", "N.m")),
    Twist: (("v", "v", "m/s"), ("w", "w", "rad/s")),
    Pose: (("position", "position", "m"), ("orientation", "rotation", None)),
    Deformation: (("d", "d", "m"), ("theta", "theta", "rad")),
    WheelContact: (
        ("kappa", "kappa", "1"),
        ("alpha", "alpha", "rad"),
        ("gamma", "gamma", "rad"),
        ("fz", "fz", "N"),
        ("fx", "fx", "N"),
        ("fy", "fy", "N"),
        ("mx", "mx", "N.m"),
        ("my", "my", "N.m"),
        ("mz", "mz", "N.m"),
        ("loaded_radius", "loaded_radius", "m"),
        ("effective_radius", "effective_radius", "m"),
        ("spin", "spin", "1/m"),
        ("mz_spin", "mz_spin", "N.m"),
        ("effective_height", "effective_height", "m"),
        ("effective_slope", "effective_slope", "1"),
        ("point", "point", "m"),
    ),
    Along: (("u", "u", "m"), ("v", "v", "m"), ("heading", "heading", "rad")),
    SectionForces: (("force", "force", "N"), ("moment", "moment", "N.m")),
}
