"""The word of a model for another model in it."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from ...errors import ModelError
from ...messages.failures import display
from ...messages.suggestions import did_you_mean
from ...symbolic.expressions import Expression
from ..checks import RESERVED
from ..data import ModelData
from ..geometry.vectors import number
from ..items import WORLD, Body, Parameter
from ..names import SHARED_NAMES, known_in, new_name, not_taken, place
from ..references.leaves import Signal
from ..references.naming import Renamed
from ..units import from_si, to_si
from .bodies import body

HERE = (0.0, 0.0, 0.0)
Rooms = dict[str, dict[str, Any]]  #: rooms of `ModelData` by name, and what is in them by name


@runtime_checkable
class Lawful(Protocol):
    """A part whose laws can't depend on everything: checked again where inputs are replaced."""

    def check_laws(self, bodies: Mapping[str, Body], parameters: Mapping[str, Parameter]) -> None:
        """ModelError for laws that can't be."""


def include(
    model: ModelData,
    other: ModelData,
    prefix: str,
    *,
    at: Any = HERE,
    on: str | Body = WORLD,
    inputs: Mapping[str, Any] | None = None,
) -> None:
    """Put another model into this one, any number of times: all that it has, under names `prefix.name`.

    What hangs on its world hangs on a frame that is named by the prefix and sits on body `on` at the place `at`, a
    position (m, in the axes of `on`) or a `Pose`. What it measures or gives in world axes is in those of this model's
    world, and gravity and the stabilization of loops are this model's. inputs: values of inputs of the other model, by
    their names there: numbers in the input's unit, or expressions of this model's. The other inputs, and all its
    parameters, become those of this model, as `prefix.name`.

    The other model stays as it is; what is added to it later is not in this one. Raises ModelError for a prefix that is
    no identifier, names that are taken, an unknown body, an unknown input, a model in itself.
    """
    thing = f"model {_told(model, other, prefix).name!r} as {prefix!r}"
    bearer = place(model, on, thing)
    given = _given(other, inputs, thing)
    tables = _renamed(other, prefix, given, thing)
    grown = copy.copy(model)  # so that nothing is added where something is wrong
    if not other.bodies and (bearer != WORLD or at is not HERE):
        raise ModelError(f"{thing} has no bodies, and nothing to be placed: leave on= and at= out")
    if other.bodies:
        body(grown, prefix, bearer, at=at)
    _add(grown, tables)
    known_in(grown, given.values(), f"inputs of {thing}")
    for part in (part for room in tables.values() for part in room.values()):
        if isinstance(part, Lawful):
            part.check_laws(grown.bodies, grown.parameters)
    for room in tables:
        getattr(model, room).update(getattr(grown, room))
    model.version += 1


def _told(model: ModelData, other: Any, prefix: Any) -> ModelData:
    """The other model; ModelError for what is none, and for a name that it can't have here."""
    if not isinstance(other, ModelData):
        raise ModelError(f"include: {display(other)} is no model: give an mbs.Model, of what was imported its `model`")
    if other is model:
        raise ModelError(f"model {model.name!r} can't be in itself: give another, or a copy (copy.copy) of it")
    try:
        new_name(model, prefix, "body")  # which the frame is
    except ModelError as error:
        raise ModelError(f"prefix of model {other.name!r}: {error}") from None
    return other


def _given(other: ModelData, inputs: Any, thing: str) -> dict[str, Expression]:
    """The values of inputs, in SI units; ModelError for unknown ones, and for what is no number."""
    told = {} if inputs is None else inputs
    if not isinstance(told, Mapping):
        raise ModelError(f"inputs of {thing} are {display(told)}: give expressions by name, such as {{'torque': 0.0}}")
    for name in told:
        if name not in other.inputs:
            have = ", ".join(other.inputs) or "none"
            said = f"{thing}: unknown input {display(name)}{did_you_mean(name, other.inputs)}"
            raise ModelError(f"{said}; inputs of model {other.name!r}: {have}")

    def given(name: str, value: Any) -> Expression:
        unit, what = other.inputs[name].unit, f"input {name!r} of {thing}"
        return number(value, what) if isinstance(value, Expression) else to_si(number(value, what, unit), unit)

    return {name: given(name, value) for name, value in told.items()}


def _renamed(other: ModelData, prefix: str, given: Mapping[str, Expression], thing: str) -> Rooms:
    """All parts of the other model, with the names that they have here."""
    known = {WORLD: prefix} | {name: name for name in RESERVED if name != WORLD}

    def name(told: str) -> str:
        return known.get(told, f"{prefix}.{told}")

    def replaced(reference: object) -> Expression | None:
        if not isinstance(reference, Signal) or reference.role not in ("input", "signal"):
            return None
        value = given.get(reference.name)
        if value is None or reference.role == "signal":
            return value
        return from_si(value, other.inputs[reference.name].unit)

    rename = Renamed(name, replaced)
    told = {room: parts for room, parts in vars(other).items() if isinstance(parts, dict)}
    told["inputs"] = {name: x for name, x in other.inputs.items() if name not in given}
    try:
        return {room: {name(key): rename(part) for key, part in parts.items()} for room, parts in told.items()}
    except ZeroDivisionError:
        raise ModelError(f"{thing}: it divides by an input that is zero by inputs=: give another number") from None


def _add(model: ModelData, tables: Rooms) -> None:
    """Into the model. ModelError for names that are taken."""
    for apart in SHARED_NAMES:
        for what, room in apart.items():
            for name in tables[room]:
                not_taken(model, name, what)
    for room, parts in tables.items():
        getattr(model, room).update(parts)
