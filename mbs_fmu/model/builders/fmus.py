"""Method of `Model` for FMUs of others that run beside it."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...infrastructure.errors import ModelError
from ...infrastructure.messages.failures import display
from ...symbolic.expressions import Expression, leaf
from ...symbolic.units import to_si
from ..checks import OUTPUT_NAME
from ..data import ModelData
from ..geometry.vectors import is_list
from ..items import ForeignFmu, Input, Partner
from ..kinds import first_of_kind
from ..names import new_name, not_taken
from ..references.leaves import Signal
from .argument_types import Number
from .signals import output


def fmu(
    model: ModelData, name: str, partner: Partner, *, inputs: Mapping[str, Number] | None = None,
    outputs: Sequence[str] = (),
) -> dict[str, Expression]:  # fmt: skip
    """Let an FMU of others run beside the model, in runs of `simulate`; return its outputs as expressions in SI units.

    name: of the FMU in the model. partner: an `mbs.Fmu`. inputs: values of its inputs by name, expressions of the model
    in SI units. outputs: names of its outputs that laws of the model use.

    The model gets the input `name.OUTPUT` for each of these outputs, and the output `name.INPUT` for each of these
    inputs, in the units of the FMU; `simulate` couples them by an `mbs.System`. Everything else refuses such a model
    (docs/systems.md).

    Raises ModelError for a name that is taken, and for variables that the FMU does not have.
    """
    new_name(model, name, "fmu")
    thing = f"FMU {name!r}"
    if not isinstance(partner, Partner):
        raise ModelError(f"{thing} is {display(partner)}: give mbs.Fmu(file)")
    if not is_list(outputs):
        raise ModelError(f"outputs of {thing} are {display(outputs)}: give a list of names")
    extended = copy.copy(model)  # errors leave the model itself unchanged
    taken, given = {}, {}
    values: dict[str, Expression] = {}
    for variable in outputs:
        _require_text(variable, thing)
        (unit, limits), own = partner.signal_of(variable, "output"), own_name(name, variable)
        not_taken(extended, own, "input")
        start = first_of_kind(limits)
        extended.inputs[own] = Input(own, unit, start, f"{variable!r} of {thing}", limits, True)
        taken[variable], values[variable] = own, to_si(leaf(Signal("input", own)), unit)
    for variable, value in _by_name(inputs, thing).items():
        _require_text(variable, thing)
        (unit, wanted), own = partner.signal_of(variable, "input"), own_name(name, variable)
        kind, low = wanted.items or wanted.kind, wanted.low if wanted.items else None
        output(extended, own, value, unit, f"{variable!r} of {thing}", min=low, kind=kind)
        given[variable] = own
    extended.fmus[name] = ForeignFmu(name, partner, given, taken)
    model.inputs, model.outputs, model.fmus = extended.inputs, extended.outputs, extended.fmus
    model.version += 1
    return values


def own_name(name: str, variable: str) -> str:
    """Return the model's name for a variable of an FMU: other characters than those of identifiers become "_"."""
    own = f"{name}.{variable}"
    return own if OUTPUT_NAME.match(own) else f"{name}.{re.sub(r'[^A-Za-z0-9]+', '_', variable).strip('_')}"


def _require_text(variable: Any, thing: str) -> None:
    if not isinstance(variable, str):
        raise ModelError(f"variable {display(variable)} of {thing} is no text: give the name of an input or output")


def _by_name(inputs: Any, thing: str) -> Mapping[str, Any]:
    if inputs is not None and not isinstance(inputs, Mapping):
        raise ModelError(f"inputs of {thing} are {display(inputs)}: give expressions by name, such as {{'speed': w}}")
    return inputs or {}
