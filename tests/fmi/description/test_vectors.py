"""Descriptions of models with vectors, of all bundled models and of random ones: the standard's schema, fmpy and the
package's own reader report nothing. No FMU is run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import fmpy
import numpy as np
import pytest
from fmpy import read_model_description
from lxml import etree

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.fmi.description import description
from mbs_fmu.fmi.description.description import checked_description, description_xml
from mbs_fmu.fmi.description.reading import problems
from mbs_fmu.fmi.description.variables import published, variable_table
from mbs_fmu.fmi.experiment import Experiment
from mbs_fmu.fmi.export import for_importers
from mbs_fmu.fmi.native.source import model_header
from mbs_fmu.record.program import Program
from mbs_fmu.run.step_control import StepControl
from support.cases import tiers
from support.generators.vector_signals import random_vectors, vectors
from support.models.bundled import built, by_cost

SCHEMAS = Path(fmpy.__file__).parent / "schema"
EXPERIMENT = Experiment(1.0, 0.01, StepControl.of("rk4", 1e-3), 1000)
KINDS = (("python", "2.0", True), ("native", "2.0", True), ("native", "3.0", True), ("native", "3.0", False))


def program_of(model: mbs.Model) -> Program:
    """Program of an FMU, in which events are outputs."""
    program = compile_model(for_importers(model))
    return replace(program, indicators=[{"name": name, "direction": 0, "stop": False} for name in model.events])


def texts(program: Program) -> Iterator[tuple[str, str]]:
    """Version and text of each description."""
    for kind, fmi, arrays in KINDS:
        own = program if arrays else replace(program, vectors={})
        yield fmi, checked_description(own, EXPERIMENT, "test", kind, fmi)


@cache
def schema(fmi: str) -> etree.XMLSchema:
    return etree.XMLSchema(etree.parse(str(SCHEMAS / f"fmi{fmi[0]}" / f"fmi{fmi[0]}ModelDescription.xsd")))


def assert_valid(program: Program, folder: Path) -> None:
    """Assert that the schema, fmpy and the package's reader report nothing, including names and structure."""
    path = folder / "modelDescription.xml"
    for fmi, text in texts(program):
        schema(fmi).assertValid(etree.fromstring(text.encode()))
        path.write_text(text, encoding="utf-8")
        read = read_model_description(str(path), validate_variable_names=True, validate_model_structure=True)
        assert len(read.modelVariables) > 0


@pytest.mark.parametrize("number", tiers(range(20), usual=1, quick=1))
def test_descriptions_of_random_models(number: int, tmp_path: Path) -> None:
    """Descriptions of each kind of FMU, with arrays and without, are valid."""
    assert_valid(program_of(random_vectors(number)), tmp_path)


@pytest.mark.parametrize("function", tiers(by_cost(), usual=1))
def test_descriptions_of_all_models(function: str, tmp_path: Path) -> None:
    """Descriptions of each kind of FMU, with arrays and without, are valid."""
    assert_valid(program_of(built(function)), tmp_path)


# -- arrays ----------------------------------------------------------------------------------------------


@pytest.mark.quick
def test_arrays_have_one_start_value_per_element() -> None:
    """Description and library agree: one start value for each element; elements are adjacent in the table and in the
    record; all other variables have one element.
    """
    model = vectors()
    program = program_of(model)
    rows = variable_table(program)
    (text,) = (text for fmi, text in texts(program) if fmi == "3.0" and "Dimension" in text)
    root = etree.fromstring(text.encode())
    header = model_header(program, EXPERIMENT, "token", "3.0")
    lengths = [int(n) for n in re.findall(r"LENGTHS\[\] = \{(.*)\}", header)[0].split(",")]
    assert sum(lengths) == len(rows)
    for element in root.iter("Float64"):
        size, first = int(element.xpath("sum(Dimension/@start)")) or 1, int(element.get("valueReference"))
        assert lengths[first : first + size] == [size] + [0] * (size - 1)
        assert [rows[first + k].slot - rows[first].slot for k in range(size)] == list(range(size))
    for signal in model.sampled_signals.values():
        (element,) = root.xpath(f"//Float64[@name='{signal.name}']")
        assert tuple(map(float, element.get("start").split())) == signal.start


# -- invalid descriptions ------------------------------------------------------------------------------------


WRONG = {
    "an unknown that is not there": ('<InitialUnknown valueReference="', '<InitialUnknown valueReference="99'),
    "a dependency that is not there": ('dependencies="', 'dependencies="99 '),
    "too few start values": ('start="1.0 2.0 3.0"', 'start="1.0 2.0"'),
    "another start value": ('start="1.0 2.0 3.0"', 'start="1.0 2.5 3.0"'),
    "a start value that is not finite": ('start="1.0 2.0 3.0"', 'start="1.0 NaN 3.0"'),
    "another length": ('<Dimension start="4"', '<Dimension start="5"'),
    "a derivative of nothing": ('derivative="', 'derivative="99'),
    "an unknown unit": ('unit="N.m"', 'unit="N.mm"'),
    "an output that is not listed": ("<Output ", "<ClockedState "),
    "a reference that is there twice": ('name="z" valueReference="', 'name="z" valueReference="0" was="'),
    "a name that is there twice": ('name="last"', 'name="first"'),
    "an illegal name": ('name="last"', 'name="la st"'),
    "no XML": ("<ModelStructure>", "<ModelStructure"),
    "a character that XML can't hold": ('description="torque"', 'description="tor\x07que"'),
    "an unknown attribute": ("<ModelVariables>", '<ModelVariables odd="1">'),
}  # fmt: skip


@pytest.mark.quick
@pytest.mark.parametrize("fault", WRONG)
def test_faults_of_a_description_are_found(fault: str) -> None:
    """Each fault in the description of FMI 3.0 is detected; the valid one has none."""
    program = program_of(vectors())
    valid = published(variable_table(program), arrays=True)
    text = description.to_text(description_xml(program, EXPERIMENT, "test", "native", "3.0"))
    assert problems(text, valid) == []
    old, new = WRONG[fault]
    assert old in text
    assert problems(text.replace(old, new, 1), valid)


@pytest.mark.usefixtures("in_plain_python")
def test_no_export_writes_an_invalid_description(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An invalid description is refused before the archive is written; the previous FMU stays."""
    path = tmp_path / "vectors.fmu"
    path.write_bytes(b"before")
    sound = description.description_xml

    def broken(*arguments: object) -> object:
        root = sound(*arguments)  # type: ignore[arg-type]
        structure = root.find("ModelStructure/InitialUnknowns")
        assert structure is not None
        structure[0].set("index", "9999")
        return root

    monkeypatch.setattr(description, "description_xml", broken)
    with pytest.raises(mbs.ModelError, match=r"'vectors' is not written.*9999"):
        mbs.export(vectors(), path, stop_time=0.1)
    assert path.read_bytes() == b"before" and [p.name for p in tmp_path.iterdir()] == [path.name]


@pytest.mark.quick
def test_bounds_and_nominal_values_of_arrays_hold_for_all_elements() -> None:
    """FMI 3 has one of each per array: the widest bounds, the largest magnitude."""
    program = program_of(vectors())
    variables = [
        replace(v, low=-k - 1.0, high=k + 1.0, nominal=k + 1.0) if v.name.startswith("mixed") else v
        for k, v in enumerate(program.variables)
    ]
    root = description_xml(replace(program, variables=variables), EXPERIMENT, "test", "native", "3.0")
    (array,) = root.iterfind(".//Float64[@name='mixed']")
    last = max(k for k, v in enumerate(variables) if v.name.startswith("mixed")) + 1.0
    assert [float(array.get(name, "")) for name in ("min", "max", "nominal")] == [-last, last, last]
    assert np.isfinite(last)
