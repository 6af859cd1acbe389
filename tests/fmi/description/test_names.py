"""Names of variables for importers, statements about the model, and limits of importers."""

from __future__ import annotations

import logging
import re
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import fmpy
import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.fmi.check import check_fmu
from mbs_fmu.fmi.description.description import checked_description, description_xml
from mbs_fmu.fmi.description.variables import FmiVariable, variable_table
from mbs_fmu.fmi.experiment import Experiment
from mbs_fmu.fmi.export import for_importers
from mbs_fmu.fmi.limits import LONGEST_PARAMETER, LONGEST_PATH, exceeded_limits
from mbs_fmu.record.program import Program
from mbs_fmu.run.step_control import StepControl
from support.cases import tiers
from support.generators.vector_signals import random_vectors
from support.models.bundled import built, by_cost
from support.models.fmu_models import MODELS

STRUCTURED = Experiment(1.0, 0.01, StepControl.of("rk4", 1e-3), 1000)
FLAT = replace(STRUCTURED, naming="flat")
KINDS = (("python", "2.0"), ("native", "2.0"), ("native", "3.0"))


def program_of(model: mbs.Model) -> Program:
    """Program of an FMU, in which events are outputs."""
    program = compile_model(for_importers(model))
    return replace(program, indicators=[{"name": name, "direction": 0, "stop": False} for name in model.events])


def assert_flat(program: Program) -> None:
    """Assert that flat names are identifiers, unique, and the only difference of tables and descriptions."""
    structured, flat = variable_table(program), variable_table(program, "flat")
    names = [row.name for row in flat]
    assert all(re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name) for name in names), program.name
    assert len(set(names)) == len(names), program.name
    for a, b in zip(structured, flat, strict=True):
        assert replace(b, name=a.name, vector=a.vector) == a, a.name
        assert a.name == b.name or not re.fullmatch(r"\w+", a.name), "a name that is flat stays"
    for kind, fmi in KINDS:
        checked_description(program, FLAT, "test", kind, fmi)
        pair = [description_xml(program, e, "test", kind, fmi) for e in (STRUCTURED, FLAT)]
        assert [e.get("variableNamingConvention") for e in pair] == ["structured", "flat"]
        for root in pair:
            for attribute in ("variableNamingConvention", "guid", "instantiationToken"):
                root.attrib.pop(attribute, None)
            for variable in root.findall("ModelVariables/*"):
                del variable.attrib["name"]
        one, other = map(ET.tostring, pair)
        assert one == other, f"{program.name}, {kind}, FMI {fmi}"


@pytest.mark.parametrize("number", tiers(range(10), usual=1, quick=1))
def test_flat_names_of_random_models(number: int) -> None:
    """Nothing but names changes."""
    assert_flat(program_of(random_vectors(number)))


@pytest.mark.parametrize("function", tiers(by_cost(), usual=1))
def test_flat_names_of_all_models(function: str) -> None:
    """Nothing but names changes."""
    assert_flat(program_of(built(function)))


@pytest.mark.quick
def test_flat_names_that_would_be_equal_are_numbered() -> None:
    """A name that is flat already stays; others that would become equal to it get numbers."""
    m = mbs.Model("collisions")
    for body in ("a", "a_phi"):
        m.body(body, joint=mbs.Revolute("z"), inertia=(1, 1, 1))
    for output in ("a_phi", "a_phi_w", "v_1"):
        m.output(output, mbs.time)
    m.output("v", [mbs.time, 1.0 - mbs.time])
    names = {a.name: b.name for a, b in zip(*tables(compile_model(m)), strict=True)}
    assert names["a_phi"] == "a_phi"
    assert names["a.phi"] == "a_phi_2"
    assert names["a_phi.w"] == "a_phi_w_2"
    assert (names["v[1]"], names["v[2]"], names["v_1"]) == ("v_1_2", "v_2", "v_1")
    assert_flat(compile_model(m))


def tables(program: Program) -> tuple[list[FmiVariable], list[FmiVariable]]:
    return variable_table(program), variable_table(program, "flat")


# -- FMUs ------------------------------------------------------------------------------------------------


NATIVE: dict[str, Any] = {"kind": "native", "platforms": "host"}


@pytest.mark.parametrize(
    "form",
    tiers({"python": {}, "native 2": {**NATIVE, "fmi": "2.0"}, "native 3": {**NATIVE, "fmi": "3.0"}}, 1),
)
def test_flat_fmus_run_as_structured_ones(form: dict[str, Any], tmp_path: Path) -> None:
    """An FMU with flat names has the bits of one with structured names; check, reference and parameters use them."""
    runs = {}
    for naming in ("structured", "flat"):
        path = tmp_path / naming / "gyro.fmu"
        path.parent.mkdir()
        mbs.export(MODELS["gyro"](), path, method="rk4", step=1e-3, stop_time=0.2, naming=naming, **form)
        assert check_fmu(path)[1].endswith("no problems"), naming
        runs[naming] = fmpy.simulate_fmu(str(path), stop_time=0.2, output_interval=0.01, start_values={"k": 40.0})
    structured, flat = runs["structured"], runs["flat"]
    assert len(structured.dtype.names) == len(flat.dtype.names) > 5
    for a, b in zip(structured.dtype.names, flat.dtype.names, strict=True):
        assert b == re.sub(r"\W", "_", a.rstrip("]")), a
        assert np.array_equal(structured[a], flat[b]), a


def test_a_model_states_author_and_licence(tmp_path: Path) -> None:
    """Author, version, copyright and licence are attributes of the description; the licence's text is in the FMU."""
    text = tmp_path / "LICENSE.txt"
    text.write_text("Do as you like.\n", encoding="utf-8")
    about = mbs.About("J. Doe, Ürümqi <Inc> & Sons", "1.2", "© 2026", "BSD-3-Clause", license_file=text)
    path = mbs.export(MODELS["swing"](), tmp_path / "swing.fmu", stop_time=0.1, about=about)
    read = fmpy.read_model_description(str(path), validate=True)
    assert (read.author, read.version, read.copyright, read.license) == (
        "J. Doe, Ürümqi <Inc> & Sons", "1.2", "© 2026", "BSD-3-Clause",
    )  # fmt: skip
    with zipfile.ZipFile(path) as archive:
        assert archive.read("documentation/licenses/license.txt") == text.read_bytes()


@pytest.mark.quick
@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        ({"author": 3}, "author is 3: give one line of text"),
        ({"license": "a\nb"}, "license is 'a.nb': give one line of text"),
        ({"license_file": "LICENSE.md"}, "license_file is 'LICENSE.md': give a file that ends in .txt, .html, .spdx"),
        ({"license_file": "no/such.txt"}, r"license_file is 'no/such.txt', which can't be read \(No such file"),
    ],
)
def test_unusable_statements_are_refused(arguments: dict[str, Any], wrong: str) -> None:
    """The message names the argument, its value and the remedy."""
    with pytest.raises(mbs.ArgumentError, match=wrong):
        mbs.About(**arguments)


@pytest.mark.quick
def test_an_unknown_naming_is_refused(tmp_path: Path) -> None:
    """Before anything is compiled or written."""
    with pytest.raises(mbs.ArgumentError, match="naming is 'dotted': use structured or flat"):
        mbs.export(MODELS["swing"](), tmp_path / "swing.fmu", naming="dotted")  # type: ignore[arg-type]
    with pytest.raises(mbs.ArgumentError, match=r"about is 'me': give mbs.About\(author=..., version=...\)"):
        mbs.export(MODELS["swing"](), tmp_path / "swing.fmu", about="me")  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


# -- limits ----------------------------------------------------------------------------------------------


@pytest.mark.quick
def test_long_names_and_paths_are_noted(tmp_path: Path) -> None:
    """One sentence each, for the first length beyond the limit and not for the limit itself."""
    row = next(row for row in variable_table(compile_model(MODELS["gyro"]())) if row.causality == "parameter")
    at, beyond = (replace(row, name="k" * n) for n in (LONGEST_PARAMETER, LONGEST_PARAMETER + 1))
    short = Path("/") / "x.fmu"
    assert not list(exceeded_limits(short, [at, replace(beyond, causality="local")]))
    (sentence,) = exceeded_limits(short, [at, beyond, beyond])
    assert "and 1 more: the name has 56 characters, and Simulink takes at most 55" in sentence
    for length, count in ((LONGEST_PATH, 0), (LONGEST_PATH + 1, 1)):
        assert len(list(exceeded_limits(Path("/" + "x" * (length - 1)), [at]))) == count, length


def test_an_export_logs_the_note(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The FMU is written all the same."""
    m = MODELS["swing"]()
    m.parameter("long_" * 12, 1.0)
    with caplog.at_level(logging.WARNING, "mbs_fmu"):
        assert mbs.export(m, tmp_path / "swing.fmu", stop_time=0.1).is_file()
    assert [r.getMessage() for r in caplog.records if "Simulink" in r.getMessage()]
