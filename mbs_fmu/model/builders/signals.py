"""The words of a model for its signals: parameters, inputs, states, outputs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...errors import ModelError
from ...messages.failures import display
from ...messages.suggestions import did_you_mean
from ...symbolic.expressions import Expression, leaf
from ..checks import OUTPUT_NAME, RESERVED, check_range, finite_number, signal_range, text
from ..data import ModelData
from ..geometry.poses import Pose
from ..geometry.vectors import Vector, is_list, number, numbers, traced
from ..items import Input, Output, Parameter, State
from ..measures.deformations import Deformation, SectionForces
from ..measures.measures import Twist, Wrench
from ..names import known_in, new_name, not_taken
from ..references.leaves import Signal
from ..units import from_si, known_unit, to_si
from .starts import start_number


def parameter(
    model: ModelData,
    name: str,
    value: float,
    unit: str | None = None,
    description: str = "",
    *,
    min: float | None = None,
    max: float | None = None,
    nominal: float | None = None,
) -> Expression:
    """A number that can be changed without compiling anew; values outside min..max are refused.

    unit: of its value, of min, max and nominal, and of what runs and FMUs give it. Returns its expression, which is in
    SI units: with unit="mm" and value 5 it is 0.005.
    """
    new_name(model, name, "parameter")
    thing = f"parameter {name!r}"
    unit = known_unit(unit, thing)
    value = finite_number(value, thing, unit)
    limits = signal_range(min, max, nominal, unit, thing)
    check_range(value, limits, unit, "parameter", name)
    told = text(description, f"description of {thing}")
    model.parameters[name] = Parameter(name, value, unit, told, limits)
    model.version += 1
    return to_si(leaf(Signal("parameter", name)), unit)


def set_parameter(model: ModelData, name: str, value: float) -> None:
    """Give a parameter another default."""
    if not isinstance(name, str) or name not in model.parameters:
        have = ", ".join(model.parameters) or "none"
        said = f"unknown parameter {display(name)}{did_you_mean(name, model.parameters)}; "
        raise ModelError(f"{said}parameters of model {model.name!r}: {have}")
    told = model.parameters[name]
    value = finite_number(value, f"parameter {name!r}", told.unit)
    check_range(value, told.range, told.unit, "parameter", name)
    model.parameters[name] = replace(told, value=value)
    model.value_version += 1


def input(
    model: ModelData,
    name: str,
    unit: str | None = None,
    start: float | None = None,
    description: str = "",
    *,
    min: float | None = None,
    max: float | None = None,
    nominal: float | None = None,
) -> Expression:
    """A signal from outside (min, max, nominal inform the importer). Returns its expression, which is in SI units.

    unit: of what runs and FMUs give it, and of the other numbers here. start: its value where a run gives it none.
    Without it `simulate` requires one, and an FMU starts at zero.
    """
    new_name(model, name, "input")
    thing = f"input {name!r}"
    unit = known_unit(unit, thing)
    limits = signal_range(min, max, nominal, unit, thing)
    value = 0.0 if start is None else finite_number(start, f"start of {thing}", unit)
    told = text(description, f"description of {thing}")
    model.inputs[name] = Input(name, unit, value, told, limits, start is not None)
    model.version += 1
    return to_si(leaf(Signal("input", name)), unit)


def state(
    model: ModelData, name: str, rate: Any, start: Any = 0.0, unit: str | None = None, description: str = ""
) -> Expression:
    """A signal with a given derivative, such as a controller's integral. Returns its expression, in SI units.

    rate: an expression, or a function of the state's own expression that returns one; in SI units. start: a number in
    the state's unit, or an expression of parameters, in SI units. unit: of its values in results and FMUs.
    """
    new_name(model, name, "state")
    unit = known_unit(unit, f"state {name!r}")
    own = to_si(leaf(Signal("state", name)), unit)
    if callable(rate):
        rate = traced(rate, f"rate of state {name!r}", own)
    law = from_si(number(rate, f"rate of state {name!r}"), unit)
    known_in(model, [law], f"rate of state {name!r}")
    value, made = start_number(model, start, unit, f"start of state {name!r}")
    model.states[name] = State(name, law, value, unit, text(description, f"description of state {name!r}"))
    if made is not None:
        model.start_laws[name] = made
    model.version += 1
    return own


def output(
    model: ModelData,
    name: str,
    value: Any,
    unit: str | None = None,
    description: str = "",
    *,
    min: float | None = None,
    max: float | None = None,
    nominal: float | None = None,
) -> None:
    """A number or vector to publish; a vector's components are name[1], name[2], ...

    value: in SI units. unit: of what results and FMUs show, and of min, max and nominal: in "mm", 0.005 is shown as 5.

    What has two parts becomes two outputs: a wrench name.f (N) and name.t (N.m), a twist name.v (m/s) and name.w
    (rad/s), a pose name.position (m) and name.orientation, a deformation name.d (m) and name.theta (rad),
    section forces name.force (N) and name.moment (N.m).
    """
    parts = PARTS.get(type(value), ())
    for part, attribute, its_unit in parts:
        told = getattr(value, attribute)
        output(model, f"{name}.{part}", told, its_unit, description, min=min, max=max, nominal=nominal)
    if parts:
        return
    if not isinstance(name, str) or not OUTPUT_NAME.match(name):
        raise ModelError(f"output name {display(name)} must be an identifier, or identifiers joined by dots")
    if name in RESERVED:
        raise ModelError(f"output name {name!r} is reserved: choose another")
    not_taken(model, name, "output")
    vector = is_list(value)
    if vector and len(value) == 0:
        raise ModelError(f"output {name!r} has no numbers: give one, or several such as mbs.position(body)")
    items = numbers(value, len(value), f"output {name!r}") if vector else Vector([number(value, f"output {name!r}")])
    known_in(model, items, f"output {name!r}")
    unit = known_unit(unit, f"output {name!r}")
    items = Vector(from_si(item, unit) for item in items)
    limits = signal_range(min, max, nominal, unit, f"output {name!r}")
    told = text(description, f"description of output {name!r}")
    model.outputs[name] = Output(name, items, vector, unit, told, limits)
    model.version += 1


#: What becomes several outputs: name, attribute and unit of each.
PARTS: dict[type, tuple[tuple[str, str, str | None], ...]] = {
    Wrench: (("f", "f", "N"), ("t", "t", "N.m")),
    Twist: (("v", "v", "m/s"), ("w", "w", "rad/s")),
    Pose: (("position", "position", "m"), ("orientation", "rotation", None)),
    Deformation: (("d", "d", "m"), ("theta", "theta", "rad")),
    SectionForces: (("force", "force", "N"), ("moment", "moment", "N.m")),
}
