"""`mbs-fmu check` on valid and damaged FMUs."""

from __future__ import annotations

import json
import struct
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.fmi import check as fmu_check
from mbs_fmu.fmi import unpacking
from mbs_fmu.run.results.csv_tables import read_csv
from support.generators.solid_robots import WRONG_INERTIA, boxes, write_box
from support.hosts.command_line import FAILED, RUN, WRONG, Cli, Outcome, assert_one_line
from support.hosts.fmus import python


def test_check_accepts_the_exported_reference(cli: Cli, governor: Path) -> None:
    """A fresh FMU agrees with its reference, to round-off."""
    done = cli("check", governor, "--tolerance", 1e-10)
    assert (done.code, done.err) == (0, "")
    assert "no problems" in done.out and "speed" in done.out


def test_check_reports_equal_columns(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Equal columns are reported as identical; others with their difference, also relative to their range."""
    columns = {"time": np.array([0.0, 1.0]), "same": np.array([2.0, 3.0]), "near": np.array([1.0, 5.0])}
    run = columns | {"near": columns["near"] + 1e-5}
    monkeypatch.setattr(fmu_check, "read_csv", lambda path: columns)
    monkeypatch.setattr(fmu_check, "_columns", lambda path: {"same": ["same"], "near": ["near"]})
    monkeypatch.setattr(fmu_check, "_run", lambda path, times, outputs: {name: run[name] for name in outputs})
    lines = fmu_check._compare(tmp_path / "one.fmu", tmp_path / "one_ref.csv", 1e-4)
    assert lines == ["  same: identical", "  near: largest difference 1e-05, 2.5e-06 of its range"]


def test_check_runs_an_fmu_without_outputs(cli: Cli, tmp_path: Path) -> None:
    """Such as one of a robot file: there is nothing to compare, and the run must reach its end."""
    m = mbs.Model("silent")
    m.state("z", rate=1.0)
    path = mbs.export(m, tmp_path / "silent.fmu", method="rk4", step=0.1, stop_time=1.0)
    done = cli("check", path)
    assert (done.code, done.err) == (0, "")
    assert "no outputs to compare; it runs to t = 1 s" in done.out


@pytest.mark.parametrize("spoil", [1e-3, float("nan")])
def test_check_finds_a_spoilt_reference(cli: Cli, governor: Path, tmp_path: Path, spoil: float) -> None:
    """One changed value of an output gives exit code 1 and a message that names the output."""
    columns = dict(read_csv(governor.with_name("governor_ref.csv")))
    columns["slide"][40] += spoil
    bad = tmp_path / "bad.csv"
    header = ",".join(f'"{name}"' for name in columns)
    np.savetxt(bad, np.column_stack(list(columns.values())), fmt="%.17g", delimiter=",", header=header, comments="")
    assert_one_line(cli("check", governor, "--reference", bad), FAILED, "governor.fmu", "slide")


REFERENCES = {
    "absent": None,
    "empty": "",
    "no csv": "garbage",
    "no time": '"t","speed"\n0,0\n1,0\n',
    "no numbers": '"time","speed"\n0,x\n1,y\n',
    "header only": '"time","speed"\n',
    "one row": '"time","speed"\n0,0\n',
    "ragged": '"time","speed"\n0,0\n1\n',
    "nothing to compare": '"time","other"\n0,0\n1,0\n',
}


@pytest.mark.parametrize("content", REFERENCES.values(), ids=REFERENCES)
def test_check_of_an_unusable_reference(cli: Cli, governor: Path, tmp_path: Path, content: str | None) -> None:
    """A missing reference, or one without time and outputs, gives one line that names the file."""
    bad = tmp_path / "reference.csv"
    if content is not None:
        bad.write_text(content)
    assert_one_line(cli("check", governor, "--reference", bad), FAILED, "reference.csv")


def test_check_of_a_reference_whose_times_repeat(governor: Path, tmp_path: Path) -> None:
    """Repeated times give one line that names the file, and no run with steps of zero."""
    bad = tmp_path / "reference.csv"
    bad.write_text('"time","speed"\n0,0\n0,0\n1,0\n')
    done = python(RUN, "check", str(governor), "--reference", str(bad), timeout=30.0)
    assert_one_line(Outcome(done.returncode, done.stdout, done.stderr), FAILED, "reference.csv")


def test_check_of_a_damaged_fmu(cli: Cli, governor: Path, tmp_path: Path) -> None:
    """A truncated archive, and an invalid program, give exit code 1 and a line that names the FMU."""
    reference = governor.with_name("governor_ref.csv")
    cut, spoilt = tmp_path / "cut.fmu", tmp_path / "spoilt.fmu"
    cut.write_bytes(governor.read_bytes()[:-100])
    assert_one_line(cli("check", cut, "--reference", reference), FAILED, "cut.fmu")
    with zipfile.ZipFile(governor) as source, zipfile.ZipFile(spoilt, "w") as target:
        for name in source.namelist():
            target.writestr(name, b"{}" if name == "resources/program.json" else source.read(name))
    done = python(RUN, "check", str(spoilt), "--reference", str(reference))
    reason, last = done.stderr.strip().splitlines()  # the slave gives the cause, the command its meaning
    assert "format" in reason
    assert_one_line(Outcome(done.returncode, done.stdout, last), FAILED, "spoilt.fmu")


def repacked(source: Path, path: Path, changed: Callable[[str, bytes], bytes]) -> Path:
    """The same archive with other contents and valid checksums."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, changed(name, old.read(name)))
    return path


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems refuse to load such a library")
@pytest.mark.parametrize("part", [0.2, 0.5])
def test_check_of_a_library_cut_short(cli: Cli, governor: Path, tmp_path: Path, part: float) -> None:
    """A truncated library ends the process that loads it, by SIGBUS at a missing page: exit code 1 and a line that
    names the FMU.
    """

    def shortened(name: str, data: bytes) -> bytes:
        return data[: int(part * len(data))] if name.endswith(".so") else data

    cut = repacked(governor, tmp_path / "cut.fmu", shortened)
    assert_one_line(cli("check", cut, "--reference", governor.with_name("governor_ref.csv")), FAILED, "cut.fmu")


def test_archives_are_unpacked_with_a_bound(
    cli: Cli, governor: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Archives that would unpack to 4.3 GB, or with more files than any FMU has, are refused."""
    monkeypatch.setattr(unpacking, "MOST_FILES", 10)
    large, many = tmp_path / "large.fmu", tmp_path / "many.fmu"
    with zipfile.ZipFile(large, "w", zipfile.ZIP_DEFLATED) as archive, zipfile.ZipFile(governor) as source:
        archive.writestr("modelDescription.xml", source.read("modelDescription.xml"))
        archive.writestr("resources/zeros", bytes(100))
    stated = zipfile.ZipFile(large).getinfo("resources/zeros")
    data = bytearray(large.read_bytes())
    place = data.rindex(b"resources/zeros") - 46  # of the entry in the central directory
    assert struct.unpack_from("<I", data, place + 24) == (stated.file_size,)
    struct.pack_into("<I", data, place + 24, 0xFFFFFFFE)
    large.write_bytes(data)
    with zipfile.ZipFile(many, "w") as archive:
        for k in range(11):
            archive.writestr(zipfile.ZipInfo(f"{k}"), b"")
    for command in ("check", "info"):
        assert_one_line(cli(command, large), FAILED, "large.fmu", "would unpack to 4.29")
        assert_one_line(cli(command, many), FAILED, "many.fmu", "unpack to 11 files")


# -- robot files --------------------------------------------------------------------------------------------
def test_robot_file(cli: Cli, tmp_path: Path) -> None:
    """Findings and their number; errors give exit code 1; --json prints one document, --mend writes a file."""
    sound, target = cli("check", boxes(tmp_path)), tmp_path / "new.urdf"
    assert (sound.code, sound.out) == (0, "boxes.urdf: 2 links, 1 joint: 0 errors, 0 warnings, 0 notes\n")
    path = boxes(tmp_path, *WRONG_INERTIA)
    done = cli("check", path, "--mend", target)
    assert done.code == FAILED and done.out.startswith("error: boxes.urdf:3: link 'a'")
    assert done.out.splitlines()[-1] == f"wrote {target} with other inertias of 1 link"
    assert cli("check", target).code == 0
    table = json.loads(cli("check", path, "--json").out)
    assert [row["on"] for row in table] == ["link 'a'"]
    mesh = boxes(tmp_path, ('<box size="0.3 0.3 0.3"/>', '<mesh filename="package://p/box.obj"/>'))
    (tmp_path / "meshes").mkdir()
    write_box(tmp_path / "meshes" / "box.obj", np.full(3, 0.3))
    assert "mesh not found" in cli("check", mesh).out
    assert cli("check", mesh, "--package", f"p={tmp_path / 'meshes'}").out.endswith("0 warnings, 0 notes\n")


def test_options_of_the_other_kind_of_file_are_refused(cli: Cli, tmp_path: Path) -> None:
    """Options of FMUs for robots, and those of robots for FMUs."""
    assert_one_line(cli("check", boxes(tmp_path), "--tolerance", 1e-3), WRONG, "--tolerance", "boxes.urdf")
    assert_one_line(cli("check", "a.fmu", "--json"), WRONG, "--json", "a.fmu")
    path = boxes(tmp_path)
    assert_one_line(cli("check", path, "--mend", path), WRONG, "--mend is", "give another name")
