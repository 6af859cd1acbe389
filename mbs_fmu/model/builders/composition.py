"""Method of `Model` that includes another model."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from ...infrastructure.errors import ModelError
from ...infrastructure.messages.failures import display
from ...infrastructure.messages.suggestions import did_you_mean
from ...symbolic.expressions import Expression
from ...symbolic.units import from_si, to_si
from ..checks import RESERVED
from ..data import ModelData
from ..geometry.vectors import number
from ..items import WORLD, Body, Parameter
from ..names import SHARED_NAMES, known_in, new_name, not_taken, place
from ..references.leaves import Signal
from ..references.naming import Renamed
from .argument_types import BodyOrName, Placement, Quantity
from .bodies import body

ORIGIN = (0.0, 0.0, 0.0)
Tables = dict[str, dict[str, Any]]  #: tables of `ModelData` by name; each has its items by name


@runtime_checkable
class Lawful(Protocol):
    """Part whose laws may depend on some quantities only; they are checked again after inputs are replaced."""

    def check_laws(self, bodies: Mapping[str, Body], parameters: Mapping[str, Parameter]) -> None:
        """Raise ModelError if a law depends on a quantity that is not allowed."""


def include(
    model: ModelData,
    other: ModelData,
    prefix: str,
    *,
    at: Placement = ORIGIN,
    on: BodyOrName = WORLD,
    inputs: Mapping[str, Quantity] | None = None,
) -> None:
    """Include another model in this one, any number of times, with all its items as `prefix.name`.

    Bodies on the other model's world become bodies on a frame with the name `prefix`, which is fixed on body `on` at
    the frame `at`, a position (m, in the axes of `on`) or a `Pose`. World axes in the other model's measures and forces
    are those of this model; gravity and stabilization are those of this model too. inputs: values of inputs of the
    other model by name: numbers in the unit of the input, or expressions of this model in SI units. Its remaining
    inputs, and all its parameters, become those of this model, as `prefix.name`.

    The other model is copied: later additions to it do not appear here. Raises ModelError for a prefix that is no
    identifier, names that are taken, an unknown body, an unknown input, and a model that is included in itself.
    """
    thing = f"model {_checked_model(model, other, prefix).name!r} as {prefix!r}"
    base = place(model, on, thing)
    values = _input_values(other, inputs, thing)
    tables = _renamed(other, prefix, values, thing)
    extended = copy.copy(model)  # errors leave the model itself unchanged
    if not other.bodies and (base != WORLD or at is not ORIGIN):
        raise ModelError(f"{thing} has no bodies, and nothing to be placed: leave on= and at= out")
    if other.bodies:
        body(extended, prefix, base, at=at)
    _add(extended, tables)
    known_in(extended, values.values(), f"inputs of {thing}")
    for item in (item for table in tables.values() for item in table.values()):
        if isinstance(item, Lawful):
            item.check_laws(extended.bodies, extended.parameters)
    for table in tables:
        getattr(model, table).update(getattr(extended, table))
    model.version += 1


def _checked_model(model: ModelData, other: Any, prefix: Any) -> ModelData:
    """Return the other model; ModelError if it is not a model, or if the prefix cannot be a name in this one."""
    if not isinstance(other, ModelData):
        raise ModelError(
            f"include: {display(other)} is not a model: give an mbs.Model; for an imported robot, its `model`"
        )
    if other is model:
        raise ModelError(f"model {model.name!r} can't be in itself: give another, or a copy (copy.copy) of it")
    try:
        new_name(model, prefix, "body")  # the frame is a body
    except ModelError as error:
        raise ModelError(f"prefix of model {other.name!r}: {error}") from None
    return other


def _input_values(other: ModelData, inputs: Any, thing: str) -> dict[str, Expression]:
    """Return the values of inputs, in SI units. Raises ModelError for unknown inputs and for anything but numbers."""
    values = {} if inputs is None else inputs
    if not isinstance(values, Mapping):
        example = "{'torque': 0.0}"
        raise ModelError(f"inputs of {thing} are {display(values)}: give expressions by name, such as {example}")
    for name in values:
        if name not in other.inputs:
            have = ", ".join(other.inputs) or "none"
            unknown = f"{thing}: unknown input {display(name)}{did_you_mean(name, other.inputs)}"
            raise ModelError(f"{unknown}; inputs of model {other.name!r}: {have}")

    def in_si(name: str, value: Any) -> Expression:
        unit, what = other.inputs[name].unit, f"input {name!r} of {thing}"
        return number(value, what) if isinstance(value, Expression) else to_si(number(value, what, unit), unit)

    return {name: in_si(name, value) for name, value in values.items()}


def _renamed(other: ModelData, prefix: str, inputs: Mapping[str, Expression], thing: str) -> Tables:
    """Return all items of the other model under their names in this one, with the inputs replaced."""
    special = {WORLD: prefix} | {name: name for name in RESERVED if name != WORLD}

    def name(old: str) -> str:
        return special.get(old, f"{prefix}.{old}")

    def replaced(reference: object) -> Expression | None:
        if not isinstance(reference, Signal) or reference.role not in ("input", "signal"):
            return None
        value = inputs.get(reference.name)
        if value is None or reference.role == "signal":
            return value
        return from_si(value, other.inputs[reference.name].unit)

    rename = Renamed(name, replaced)
    tables = {table: items for table, items in vars(other).items() if isinstance(items, dict)}
    tables["inputs"] = {name: x for name, x in other.inputs.items() if name not in inputs}
    try:
        return {table: {name(key): rename(item) for key, item in items.items()} for table, items in tables.items()}
    except ZeroDivisionError:
        raise ModelError(f"{thing}: it divides by an input that is zero by inputs=: give another number") from None


def _add(model: ModelData, tables: Tables) -> None:
    """Add all items to the model. Raises ModelError for names that are taken."""
    for group in SHARED_NAMES:
        for what, table in group.items():
            for name in tables[table]:
                not_taken(model, name, what)
    for table, items in tables.items():
        getattr(model, table).update(items)
