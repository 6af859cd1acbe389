"""Descriptions of vectors, units and exact start values. No FMU is run."""

from __future__ import annotations

from functools import cache
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from mbs_fmu.compile.build import compile_model
from mbs_fmu.fmi.description.description import description_xml
from mbs_fmu.fmi.description.variables import guessed, variable_table
from mbs_fmu.fmi.experiment import Experiment
from mbs_fmu.record.program import Program
from mbs_fmu.run.step_control import StepControl
from support.models.fmu_models import MODELS

pytestmark = pytest.mark.quick
VERSIONS = ("2.0", "3.0")


@cache
def program(name: str) -> Program:
    return compile_model(MODELS[name]())


@cache
def described(name: str, fmi: str) -> ET.Element:
    experiment = Experiment(1.0, 0.01, StepControl.of("rk4", 1e-3), 1000)
    return description_xml(program(name), experiment, "test", "native", fmi)


def variables(name: str, fmi: str) -> dict[str, ET.Element]:
    tag = {"2.0": "ScalarVariable", "3.0": "Float64"}[fmi]
    return {str(v.get("name")): v for v in described(name, fmi).iter(tag)}


@pytest.mark.parametrize("name", ["gyro", "linkage"])
def test_vectors_are_arrays_of_fmi_3(name: str) -> None:
    """FMI 3 has one variable per vector with the value reference of its first number; FMI 2 has one per component."""
    vectors, rows = program(name).vectors, variable_table(program(name))
    two, three = (variables(name, fmi) for fmi in VERSIONS)
    references = {row.name: str(row.reference) for row in rows}
    parts = {part for parts in vectors.values() for part in parts}
    assert vectors and set(two) == set(references)
    assert set(three) == set(references) - parts | set(vectors)
    for vector, names in vectors.items():
        assert three[vector].get("valueReference") == references[names[0]]
        assert [d.get("start") for d in three[vector].findall("Dimension")] == [str(len(names))]
    assert not any(v.findall("Dimension") for key, v in three.items() if key not in vectors)
    assert [two[row.name].get("valueReference") for row in rows] == [str(k) for k in range(len(rows))]


@pytest.mark.parametrize("fmi", VERSIONS)
def test_units_are_defined(fmi: str) -> None:
    """Each unit of a variable is defined, and degrees as the display unit of angles."""
    root = described("driven", fmi)
    units = {u.get("name"): {d.get("name"): d.get("factor") for d in u.iter("DisplayUnit")} for u in root.iter("Unit")}
    assert float(units["rad"]["deg"] or 0.0) == np.rad2deg(1.0)
    angles = 0
    for v in (e if fmi == "3.0" else e.find("Real") for e in variables("driven", fmi).values()):
        assert v is not None
        if v.get("unit"):
            assert v.get("unit") in units
        assert v.get("displayUnit") == ("deg" if v.get("unit") == "rad" else None)
        angles += v.get("unit") == "rad"
    assert angles > 1


def test_assembled_start_values_are_approximate() -> None:
    """Held start values are exact; those of a loop's other coordinates and rates are approximate."""
    for name, initial in {
        "crank.phi": "exact", "crank.w": "exact", "coupler.phi": "approx", "rocker.phi": "approx",
        "coupler.w": "approx", "rocker.w": "approx", "crank.p": "calculated",
    }.items():  # fmt: skip
        assert {v.get("initial") for v in (variables("four_bar", fmi)[name] for fmi in VERSIONS)} == {initial}, name
    assert guessed(program("hoist")) == set()
    elastic = guessed(program("slider_crank"))
    assert elastic == {"rod.phi", "slider.s", "rod.w", "slider.v"}, "modes are held, whatever their body's joint does"
