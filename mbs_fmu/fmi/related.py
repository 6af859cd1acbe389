"""Files that an FMU carries for its users, and the manifest that describes them (FMI-LS-REF 1.0.0-beta.1).

The folder extra/org.fmi-standard.fmi-ls-ref contains the outputs of the reference run, the values of parameters, and
sets of values that the exporter adds, such as those of an equilibrium. Sets have the format of SSP 1.0 (System
Structure Parameter Values, .ssv).
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np

from ..infrastructure.arguments import spread
from ..infrastructure.errors import Argument, ArgumentError
from ..infrastructure.messages.failures import display, refusal
from ..infrastructure.messages.suggestions import did_you_mean
from ..model.checks import NAME, finite_number
from ..record.kinds import DEMANDED, ENUMERATION, REAL, numbered
from ..run.results.results import Result
from .description.elements import TYPES, base_unit, text_of
from .description.variables import FmiVariable, Published

FOLDER = "extra/org.fmi-standard.fmi-ls-ref"
MANIFEST = {
    "xmlns:fmi-ls": "http://fmi-standard.org/fmi-ls-manifest",
    "fmi-ls:fmi-ls-name": "org.fmi-standard.fmi-ls-ref",
    "fmi-ls:fmi-ls-version": "1.0.0-beta.1",
    "fmi-ls:fmi-ls-description": "Layered Standard providing information on related files included in an FMU.",
}
SSP = {
    "xmlns:ssv": "http://ssp-standard.org/SSP1/SystemStructureParameterValues",
    "xmlns:ssc": "http://ssp-standard.org/SSP1/SystemStructureCommon",
    "version": "1.0",
}
MOST_ROWS = 1000  #: largest number of rows of the reference run in its file; longer runs are thinned
PARAMETERS = "parameters"  #: name of the set with the values at the export

Values = dict[str, dict[str, float]]  #: by the name of a set, values by the names of variables, in their units


def usable_sets(
    sets: Mapping[str, Any],
    elements: Mapping[str, Sequence[str]],
    rows: Iterable[FmiVariable],
    described: Iterable[FmiVariable],
) -> Values:
    """Return checked sets of values of parameters, inputs and start values.

    sets: by the name of a set, a mapping of names of variables to values, or an object with such a mapping as its
    attribute `values`, such as a result of `trim`. From such a result, variables that an importer may not set are left
    out. elements: names of the elements of array parameters. rows: the variable table. described: those of its rows
    that the description lists.

    Raises ArgumentError for sets that are not given by name, a name of a set that is not an identifier, an unknown
    variable, one that is not described, a value that is not a finite number, and a parameter beyond its limits.
    """
    argument, settable = Argument("parameter_sets"), {row.name: row for row in rows if row.settable != "never"}
    listed = {row.reference for row in described}
    if not isinstance(sets, Mapping):
        raise ArgumentError(argument, f" is {display(sets)}: give sets by name, such as {{'heavy': {{'load': 900.0}}}}")
    usable: Values = {}
    for name, given in sets.items():
        if not isinstance(name, str) or not NAME.match(name) or name == PARAMETERS:
            raise ArgumentError(argument, f" has the name {display(name)}: give an identifier other than {PARAMETERS}")
        values = spread(elements, _values(given, settable, name))
        unknown = [variable for variable in values if variable not in settable]
        if unknown:
            suggestion = did_you_mean(str(unknown[0]), settable)
            raise ArgumentError(
                argument, f": set {name!r} has {unknown[0]!r}, no parameter, input or start value{suggestion}"
            )
        left_out = [variable for variable in values if settable[variable].reference not in listed]
        if left_out:
            raise ArgumentError(
                argument, f": set {name!r} gives {left_out[0]!r}, which ", Argument("variables"), " leaves out"
            )
        usable[name] = {variable: _usable(settable[variable], x, name) for variable, x in values.items()}
    return usable


def _values(given: Any, settable: Container[str], name: str) -> Mapping[str, Any]:
    """Return the values of a set by the names of variables. Raises ArgumentError unless it is or has a mapping."""
    if isinstance(given, Mapping):
        return given
    values = getattr(given, "values", None)
    if not isinstance(values, Mapping):
        raise ArgumentError(
            Argument("parameter_sets"),
            f": set {name!r} is {display(given)}: give a mapping of names to values, or a result of mbs.trim",
        )
    return {variable: value for variable, value in values.items() if variable in settable}


def _usable(row: FmiVariable, value: Any, name: str) -> float:
    """Return the value of a variable in a set. Raises ArgumentError if it is not finite or beyond the limits."""
    x = finite_number(value, f"{row.name!r} of set {name!r}")
    is_bounded = row.causality == "parameter" or row.kind != REAL
    reason = refusal(row.causality, row.name, x, *row.range, row.unit, DEMANDED.get(row.kind)) if is_bounded else None
    if reason is not None:
        raise ArgumentError(Argument("parameter_sets"), f": set {name!r}: {reason}")
    return x


def require_scalars(sets: Values, variables: Iterable[Published]) -> None:
    """Raise ArgumentError for sets with values of an array parameter of FMI 3.0, which files of SSP 1.0 cannot have."""
    for variable in variables:
        elements = (
            {row.name for row in variable.rows} if variable.array and variable.rows[0].role == "parameter" else ()
        )
        for name, values in sets.items():
            if not values.keys().isdisjoint(elements):
                raise ArgumentError(
                    Argument("parameter_sets"),
                    f": set {name!r} gives {variable.name!r}, an array in FMI 3.0, and sets of SSP 1.0 have no arrays: "
                    "leave it out, or use ",
                    Argument("arrays", "arrays=False"),
                )


def related_files(
    result: Result, rows: list[FmiVariable], parameters: Mapping[str, float], sets: Values
) -> dict[str, bytes]:
    """Return the files and their manifest, by their paths in the FMU.

    result: the reference run. rows: the variable table. parameters: their values at the export. sets: sets of values.
    All have the names of the FMU.
    """
    files: dict[str, tuple[str, str, str, bytes]] = {}  # by name: role, media type, description, content
    outputs = [row.name for row in rows if row.causality == "output" and row.name in result.columns]
    if outputs:
        text = "outputs of the run from 0 s with default parameters and inputs at their start values"
        files["reference.csv"] = "result", "text/csv", text, _csv(result, outputs)
    if parameters:
        files[f"{PARAMETERS}.ssv"] = _set_file(PARAMETERS, "values at the export", parameters, rows)
    for name, values in sets.items():
        files[f"{name}.ssv"] = _set_file(name, f"values of {name}", values, rows)
    root = ET.Element("fmiReferences", MANIFEST)
    for file, (role, media_type, text, content) in files.items():
        digest = hashlib.sha3_256(content).hexdigest()
        related = {"type": media_type, "source": file, "role": role, "description": text, "checksum": digest}
        ET.SubElement(root, "Related", related)
    contents = {f"{FOLDER}/{name}": content for name, (*_, content) in files.items()}
    return contents | {f"{FOLDER}/fmi-ls-manifest.xml": _xml(root)}


def _csv(result: Result, outputs: list[str]) -> bytes:
    """Return time and outputs as CSV with at most MOST_ROWS rows, among them the first and the last."""
    count = len(result.time)
    chosen = np.unique(np.linspace(0, count - 1, min(count, MOST_ROWS)).round().astype(int))
    columns = ["time", *outputs]
    data = result.data[chosen][:, [result.columns.index(name) for name in columns]]
    text = io.StringIO()
    np.savetxt(text, data, fmt="%.17g", delimiter=",", header=",".join(f'"{name}"' for name in columns), comments="")
    return text.getvalue().encode()


def _set_file(
    name: str, text: str, values: Mapping[str, float], rows: list[FmiVariable]
) -> tuple[str, str, str, bytes]:
    """Return role, media type, description (`text`) and content of the file of a set."""
    by_name = {row.name: row for row in rows}
    root = ET.Element("ssv:ParameterSet", {**SSP, "name": name})
    listed = ET.SubElement(root, "ssv:Parameters")
    for variable, value in values.items():
        row = by_name[variable]
        known = {"value": _ssv_text(row, float(value))} | ({} if row.unit is None else {"unit": row.unit})
        parameter = ET.SubElement(listed, "ssv:Parameter", {"name": variable})
        ET.SubElement(parameter, f"ssv:{TYPES['2.0'][row.kind]}", known)  # SSP 1.0 has these types too
    used = sorted({unit for variable in values if (unit := by_name[variable].unit) is not None})
    definitions = ET.SubElement(root, "ssv:Units") if used else root
    for unit in used:
        ET.SubElement(ET.SubElement(definitions, "ssc:Unit", {"name": unit}), "ssc:BaseUnit", base_unit(unit))
    return "parameter", "application/x-ssp-parameter-set", text, _xml(root)


def _ssv_text(row: FmiVariable, value: float) -> str:
    """Return a value as text of SSP, in which an enumeration has the names of its values."""
    names = {number: item for item, number in numbered(row.items, row.low).items()}
    return names[int(value)] if row.kind == ENUMERATION else text_of(row.kind, value)


def _xml(root: ET.Element) -> bytes:
    """Return an XML file with its declaration, indented."""
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'.encode()
