"""Programs that can load an FMU: the line of each export, and obstacles with their remedies."""

from __future__ import annotations

import logging
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

import mbs_fmu as mbs
from mbs_fmu.fmi import audience
from mbs_fmu.fmi.audience import IMPORTERS, Form, form_of, importer_named
from mbs_fmu.fmi.native.platforms import ALL
from support.paths import ROOT


def pendulum() -> mbs.Model:
    m = mbs.Model("pendulum")
    arm = m.body("arm", joint=mbs.Revolute("y"), mass=1.0, com=(0, 0, -1))
    m.output("tip", mbs.position(arm, (0, 0, -1)), unit="m")
    return m


@pytest.fixture(autouse=True)
def untold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audience, "_told", set())


def test_an_export_says_once_that_it_needs_python(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The first FMU of kind "python" warns, with the remedy; its description and its page say it too."""
    with caplog.at_level(logging.INFO):
        path = mbs.export(pendulum(), tmp_path / "pendulum.fmu", stop_time=0.1)
        mbs.export(pendulum(), tmp_path / "again.fmu", stop_time=0.1)
    (record,) = [x for x in caplog.records if "cannot load it" in x.message]
    assert record.levelno == logging.WARNING
    assert record.message.startswith("pendulum.fmu: for co-simulation in Python programs that have mbs_fmu")
    assert record.message.endswith('kind="native" (--native)')
    with zipfile.ZipFile(path) as archive:
        for file in ("modelDescription.xml", "documentation/index.html"):
            assert "Needs Python with mbs_fmu in the importing process." in archive.read(file).decode(), file
    form = form_of(path)
    assert form == Form("python", "2.0", exchange=False, steps=True, platforms=form.platforms, sources=False,
                        has_arrays=False, has_dots=True)  # fmt: skip


@pytest.mark.slow
def test_a_native_export_says_where_it_runs(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The line names version, interfaces, systems and processors; what is read from the file is what was exported."""
    pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
    with caplog.at_level(logging.INFO):
        path = mbs.export(
            pendulum(), tmp_path / "pendulum.fmu", "native", fmi="3.0", platforms="x86_64-linux,aarch64-linux",
            sources=True, stop_time=0.1,
        )  # fmt: skip
    line = "pendulum.fmu: FMI 3.0, model exchange and co-simulation, Linux (x86, ARM), C sources; needs no Python"
    assert [x.levelno for x in caplog.records if x.message == line] == [logging.INFO]
    assert form_of(path).line(path.name) == line
    assert form_of(path).has_arrays


PYTHON = Form("python", "2.0", exchange=False, steps=True, platforms=(), sources=False)
NATIVE = Form("native", "3.0", exchange=True, steps=True, platforms=(), sources=False, has_arrays=True, has_dots=True)
FOREIGN = Form(None, "1.0", exchange=True, steps=False, platforms=(), sources=False)


@pytest.mark.quick
@pytest.mark.parametrize(
    ("form", "program", "words"),
    [
        (PYTHON, "fmpy", []), (PYTHON, "libcosim", []), (NATIVE, "fmpy", []), (NATIVE, "simulink", []),
        (PYTHON, "simulink", ["Simulink has no Python, which this FMU needs: export it with --native"]),
        (PYTHON, "OpenModelica", ["has no Python", "uses model exchange, which this FMU lacks: export it with --n"]),
        (NATIVE, "libcosim", ["libcosim does not read FMI 3.0: export it with --fmi 2.0"]),
        (NATIVE, "casadi", ["CasADi reads arrays incorrectly or not at all: export it with --no-arrays"]),
        (PYTHON, "cofmupy", ["cofmupy requires versions of fmpy and pythonfmu that are too old for mbs_fmu, which"]),
        (PYTHON, "fmucontainer", ["fmucontainer was not tried with FMUs that need Python: export it with --native"]),
        (FOREIGN, "ecos", ["does not read FMI 1.0", "uses co-simulation, which this FMU lacks"]),
    ],
)  # fmt: skip
def test_findings(form: Form, program: str, words: list[str]) -> None:
    """Each property that a program cannot use is a finding with its remedy."""
    found = list(importer_named(program).findings(form))
    assert len(found) == len(words) and all(w in text for w, text in zip(words, found, strict=True))


@pytest.mark.quick
def test_notes() -> None:
    """Notes name what differs in a program: names, types that it lacks, and platforms that the FMU lacks."""
    shifted = Form("native", "2.0", exchange=True, steps=True, platforms=("x86_64-linux",), sources=False,
                   enumerations=("lever", "mode"))  # fmt: skip
    where = "it loads on Linux (x86) only, not on Windows (x86), macOS (x86, ARM), Linux (ARM): --platforms all avoids"
    (here,) = importer_named("simulink").notes(shifted)
    assert here.startswith(where)
    types, again = importer_named("libcosim").notes(shifted)
    assert types == "libcosim has no enumerations: inputs lever, mode cannot be set there" and again == here
    everywhere = replace(shifted, platforms=tuple(name for name, p in ALL.items() if p.is_in_all), enumerations=())
    for program in IMPORTERS:
        assert not list(importer_named(program).notes(everywhere))


@pytest.mark.quick
def test_programs_are_those_of_the_page() -> None:
    """The table of docs/importing.md lists the same programs, with the same kinds and versions."""
    page = (ROOT / "docs" / "importing.md").read_text(encoding="utf-8")
    table = [line.split("|")[1:6] for line in page.partition("## What to export")[2].splitlines() if line[:3] == "| ["]
    assert [row[0].strip().partition("]")[0][1:].lower() for row in table] == list(IMPORTERS)
    for (_, kinds, versions, exchange, steps), importer in zip(table, IMPORTERS.values(), strict=True):
        assert ("python" in kinds) == importer.python, importer.name
        assert all((version in versions) == (version in importer.versions) for version in ("2.0", "3.0")), importer.name
        assert ("without arrays" not in versions) == importer.arrays, importer.name
        assert (exchange.strip() != "no") == importer.exchange, importer.name
        assert ("yes" in steps) == importer.steps, importer.name
