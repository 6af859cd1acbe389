"""Descriptions of models and FMUs with their variables, line by line, as `mbs-fmu info` prints them."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from fmpy import read_model_description

from ..infrastructure.progress import counted
from ..model.model import Model
from ..record.kinds import BOOLEAN, REAL, numbered
from ..run.simulate import compiled
from .check import form_in, readable
from .description.variables import FmiVariable, variable_table

NUMBERS = ("Real", "Float64", "Float32")  #: types that the lines of variables do not name
INTERFACES = {"CoSimulation": "co-simulation", "ModelExchange": "model exchange"}
#: What the attributes of an interface say, by their names in FMI 2.0 and 3.0.
ABILITIES = {
    "canGetAndSetFMUstate": "saves its state", "canGetAndSetFMUState": "saves its state",
    "canInterpolateInputs": "takes slopes of inputs",
    "canHandleVariableCommunicationStepSize": "takes steps of any size",
    "providesDirectionalDerivative": "gives directional derivatives",
    "providesDirectionalDerivatives": "gives directional derivatives",
    "providesAdjointDerivatives": "gives adjoint derivatives",
}  # fmt: skip


def describe_model(model: Model) -> list[str]:
    """Return a description of a model and its variables, line by line."""
    program = compiled(model).program
    states = program.state_slice.stop - program.state_slice.start
    lines = [
        f"{model.name}: {model.description}",
        f"{_bodies(len(model.bodies))}, {counted(states, 'states')}",
    ]
    for row in variable_table(program):
        start = "" if row.start is None else f"{row.start:g}"
        kind = "" if row.kind == REAL else row.kind
        limits = _items(numbered(row.items, row.low).items()) if row.items else _bounds(row)
        lines.append(_line(row.name, row.causality, start, row.unit or kind, row.description, limits))
    return lines


def describe_fmu(path: Path) -> list[str]:
    """Return a description of an FMU and its variables, line by line. Raises ModelError if it cannot be read."""
    description = readable(path, read_model_description)
    lines = [
        f"{description.modelName}: {description.description or ''}",
        f"FMI {description.fmiVersion}, made by {description.generationTool or 'a program that it does not name'}",
        *readable(path, _interfaces),
        f"platforms: {form_in(path).where or 'none that is known here'}",
    ]
    for v in description.modelVariables:
        unit = v.unit or ("" if v.type in NUMBERS else v.type)
        declared = v.declaredType
        items = [(item.name, int(item.value)) for item in getattr(declared, "items", None) or ()]
        low, high = (getattr(v, name) or getattr(declared, name, None) for name in ("min", "max"))
        limits = _items(items) if items else _range(low, high)
        lines.append(_line(v.name, v.causality or "", v.start or "", unit, v.description or "", limits))
    return lines


def _interfaces(file: str) -> list[str]:
    """Return a line for each interface with what it can do, as couplings of systems need it.

    The text of the FMU is read, since fmpy leaves out the derivatives of FMI 3.0.
    """
    with zipfile.ZipFile(file) as archive:
        root = ET.fromstring(archive.read("modelDescription.xml"))
    lines = []
    for tag, name in INTERFACES.items():
        interface = root.find(tag)
        if interface is not None:
            able = [text for key, text in ABILITIES.items() if interface.get(key) in ("true", "1")]
            lines.append(f"{name}: {', '.join(able) or 'no further abilities'}")
    return lines


def _line(name: str, causality: str, start: str, unit: str, description: str, limits: str) -> str:
    return f"  {name:24} {causality:11} {start:>12} {unit:12} {f'{description} {limits}'.strip()}".rstrip()


def _items(items: Iterable[tuple[str, int]]) -> str:
    """Return the values of an enumeration, such as (1 park, 2 drive)."""
    return f"({', '.join(f'{number} {name}' for name, number in items)})"


def _bounds(row: FmiVariable) -> str:
    bounds = () if row.kind == BOOLEAN else (row.low, row.high)
    return _range(*(None if x is None else f"{x:g}" for x in bounds))


def _range(low: Any = None, high: Any = None) -> str:
    """Return bounds such as (min 0, max 3); nothing without any."""
    parts = [f"{word} {value}" for word, value in (("min", low), ("max", high)) if value is not None]
    return f"({', '.join(parts)})" if parts else ""


def _bodies(count: int) -> str:
    return "1 body" if count == 1 else f"{count} bodies"
