"""Native FMUs with C sources: their files, their symbols, and their numbers when an importer compiles them."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from xml.etree import ElementTree as ET

import fmpy
import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.infrastructure.errors import ArgumentError
from support.c_programs import WARNINGS, compiler, run_command
from support.models.bundled import built

HEADERS = Path(fmpy.__file__).parent / "c-code"
FOLDERS = {"2.0": "linux64", "3.0": "x86_64-linux"}
USUAL = [("governor", "2.0")]
SLOW = [("bouncing_pendulum", "3.0"), ("four_bar", "3.0"), ("clutch", "2.0"), ("rotating_blade", "3.0")]
only_linux = pytest.mark.skipif(sys.platform != "linux", reason="symbols are read from ELF libraries")


def exported(name: str, fmi: str, folder: Path) -> Path:
    """Export a model with sources alone."""
    path = folder / f"{name}.fmu"
    return mbs.export(
        built(name), path, "native", fmi=fmi, method="rk4", step=1e-3, stop_time=1.0, communication_step=0.01,
        sources=True, platforms=[], reference=False,
    )  # fmt: skip


def names(path: Path) -> set[str]:
    with zipfile.ZipFile(path) as archive:
        return set(archive.namelist())


def text(path: Path, name: str) -> str:
    with zipfile.ZipFile(path) as archive:
        return archive.read(name).decode()


@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
def test_archive_lists_its_sources(fmi: str, tmp_path: Path) -> None:
    """buildDescription.xml names one file for both versions; FMI 2.0 names it in both interfaces too."""
    path = exported("governor", fmi, tmp_path)
    files = {"buildDescription.xml", "governor.c", "governor_kernels.c", "governor_model.h", "fmi_layer.c"}
    assert {name for name in names(path) if name.startswith(("sources/", "binaries/"))} == {
        f"sources/{f}" for f in files
    }
    build = ET.fromstring(text(path, "sources/buildDescription.xml"))
    (configuration,) = build
    assert build.get("fmiVersion") == "3.0" and configuration.get("modelIdentifier") == "governor"
    assert [(s.get("language"), [f.get("name") for f in s]) for s in configuration] == [("C99", ["governor.c"])]
    listed = ET.fromstring(text(path, "modelDescription.xml")).findall("*/SourceFiles/File")
    assert [file.get("name") for file in listed] == (["governor.c"] * 2 if fmi == "2.0" else [])


def test_sources_are_deterministic_and_name_no_folder(tmp_path: Path) -> None:
    """Two exports give the same bytes; no text names the machine's folders."""
    for folder in (tmp_path / "one", tmp_path / "two"):
        folder.mkdir()
        exported("governor", "3.0", folder)
    first, second = (tmp_path / folder / "governor.fmu" for folder in ("one", "two"))
    assert first.read_bytes() == second.read_bytes()
    for name in names(first):
        if name.startswith("sources/"):
            assert str(tmp_path) not in text(first, name) and str(Path.home()) not in text(first, name)


@only_linux
@pytest.mark.parametrize(
    ("name", "fmi"), [*USUAL, *(pytest.param(*case, marks=pytest.mark.slow) for case in SLOW)], ids=lambda x: str(x)
)
def test_compiled_sources_give_the_numbers_of_simulate(name: str, fmi: str, tmp_path: Path) -> None:
    """One command without warnings; only functions of FMI are visible; co-simulation has the bits of `simulate`."""
    path = exported(name, fmi, tmp_path)
    folder = Path(fmpy.extract(str(path), str(tmp_path / "fmu")))
    model = built(name)
    library = folder / "binaries" / FOLDERS[fmi] / f"{model.name}.so"
    library.parent.mkdir(parents=True)
    options = ["-O1", "-shared", "-fPIC", "-Wl,--no-undefined", "-isystem", HEADERS]
    source = folder / "sources" / f"{model.name}.c"
    run_command([*compiler(), *WARNINGS, *options, source, "-o", library, "-lm"])
    if shutil.which("nm"):
        symbols = run_command(["nm", "-D", "--defined-only", library]).split()[2::3]
        assert symbols and all(symbol.startswith(f"fmi{fmi[0]}") for symbol in symbols)
    run = fmpy.simulate_fmu(str(folder), fmi_type="CoSimulation", stop_time=1.0, output_interval=0.01)
    expected = mbs.simulate(
        model, 1.0, inputs={key: i.start for key, i in model.inputs.items()}, method="rk4", step=1e-3,
        output_interval=0.01,
    )  # fmt: skip
    compared = [column for column in run.dtype.names[1:] if column in expected.columns]
    assert compared
    for column in compared:
        wrong = np.flatnonzero(run[column] != expected[column])
        assert not len(wrong), f"{column} at t = {run['time'][wrong[0]]:g} s: {run[column][wrong[0]]!r}"


@pytest.mark.slow
@only_linux
@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
@pytest.mark.parametrize("name", ["governor", "digitally_governed", "bouncing_pendulum"])
def test_fmpy_compiles_sources_and_finds_no_fault(name: str, fmi: str, tmp_path: Path) -> None:
    """The compilation of fmpy itself, by cmake; both interfaces of the result run."""
    if not shutil.which("cmake"):
        pytest.skip("fmpy compiles with cmake")
    path = exported(name, fmi, tmp_path)
    subprocess.run([str(Path(sys.executable).parent / "fmpy"), "compile", str(path)], check=True, capture_output=True)
    assert any(file.startswith("binaries/") for file in names(path))
    model = built(name)
    run = fmpy.simulate_fmu(str(path), fmi_type="CoSimulation", stop_time=1.0, output_interval=0.01)
    expected = mbs.simulate(
        model, 1.0, inputs={key: i.start for key, i in model.inputs.items()}, method="rk4", step=1e-3,
        output_interval=0.01,
    )  # fmt: skip
    exchange = fmpy.simulate_fmu(str(path), fmi_type="ModelExchange", stop_time=1.0, relative_tolerance=1e-9)
    for column in (c for c in run.dtype.names[1:] if c in expected.columns):
        assert np.array_equal(run[column], expected[column]), column
        assert exchange[column][-1] == pytest.approx(run[column][-1], rel=1e-5, abs=1e-5), column


@pytest.mark.quick
def test_contradictions_are_refused(tmp_path: Path) -> None:
    """Sources are for native FMUs; no platforms, without sources, leaves nothing that runs."""
    model = built("double_pendulum")
    with pytest.raises(ArgumentError, match="sources=True is for native FMUs"):
        mbs.export(model, tmp_path / "x.fmu", sources=True)
    with pytest.raises(ArgumentError, match="platforms is empty"):
        mbs.export(model, tmp_path / "x.fmu", "native", platforms=[])
    with pytest.raises(ArgumentError, match='give kind="native" and sources=True too'):
        mbs.export(model, tmp_path / "x.fmu", platforms=[])
    with pytest.raises(ArgumentError, match="sources is 'yes'"):
        mbs.export(model, tmp_path / "x.fmu", "native", sources="yes")  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())
