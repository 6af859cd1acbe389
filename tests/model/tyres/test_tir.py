"""Tyre property files: oddities of real files, units, tables, errors with file and line."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import mbs_fmu as mbs
from mbs_fmu.model.tyres.keys import NEEDED
from mbs_fmu.model.tyres.tir import deflection_load_curve, read_tir
from support.models.tyres import CAR_TYRE

pytestmark = pytest.mark.quick

ODD = """$--- a comment line
! another
[UNITS]
LENGTH = 'mm'   $ words, any case
FORCE                    ='Newton'
ANGLE = 'degrees'
[MODEL]
PROPERTY_FILE_FORMAT     ='PAC2002'
FITTYP = 5   $typarr(2)
TYRESIDE                 = 'LEFT'
[LONG_SLIP_RANGE]
KPUMAX                =        0.00000        $Maximum valid wheel slip
ALPMAX = 90
[SHAPE]
{radial width}
 1.0    0.0
[DEFLECTION_LOAD_CURVE]
{pen        fz}
5    2004.057
10   5000
[VERTICAL]
FNOMIN                   = 4850                 $Nominal wheel load
VERTICAL_STIFFNESS    =    5.6519D+002
PEX4                     = -3.7604e-005
"""


def written(path: Path, numbers: dict[str, float], model: str = "FITTYP = 52", more: str = "") -> Path:
    """Write a file with these numbers, in SI units, and return its path."""
    lines = ["[MODEL]", model, "[ALL]", *(f"{key} = {value!r}" for key, value in numbers.items()), more]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_oddities_of_real_files(tmp_path: Path) -> None:
    """Comments, texts, exponents with D, tables and units are read; pure numbers keep their values."""
    (tmp_path / "odd.tir").write_text(ODD, encoding="utf-8")
    file = read_tir(tmp_path / "odd.tir")
    assert file.numbers == pytest.approx({
        "FITTYP": 5.0, "KPUMAX": 0.0, "ALPMAX": math.pi / 2, "FNOMIN": 4850.0, "VERTICAL_STIFFNESS": 5.6519e5,
        "PEX4": -3.7604e-5,
    })  # fmt: skip
    assert file.texts["TYRESIDE"] == "LEFT" and file.lines["FNOMIN"] == 22
    assert deflection_load_curve(file) == ((0.005, 2004.057), (0.01, 5000.0))


def test_a_file_gives_the_tyre_of_its_numbers(tmp_path: Path) -> None:
    """A file in other units gives the same forces, radius and stiffness as the numbers in SI units."""
    scaled = dict(CAR_TYRE)
    for key, factor in (
        ("UNLOADED_RADIUS", 1e3),
        ("VERTICAL_STIFFNESS", 1e-6),
        ("VERTICAL_DAMPING", 1e-6),
        ("FNOMIN", 1e-3),
    ):
        scaled[key] = scaled[key] * factor
    file = mbs.Tyre.from_tir(written(tmp_path / "a.tir", scaled, "[UNITS]\nLENGTH='mm'\nFORCE='kN'"))
    tyre = mbs.Tyre(CAR_TYRE)
    assert file.forces(4e3, 0.05, 0.1, 0.02).fy == pytest.approx(tyre.forces(4e3, 0.05, 0.1, 0.02).fy, rel=1e-12)
    assert (file.radius, file.stiffness) == pytest.approx((tyre.radius, tyre.stiffness), rel=1e-12)
    assert file.effective_radius(4e3) == pytest.approx(tyre.effective_radius(4e3), rel=1e-12)


def test_sides(tmp_path: Path) -> None:
    """A tyre measured on the right is mirrored on the left; without TYRESIDE a file is one of the left."""
    right = mbs.Tyre.from_tir(written(tmp_path / "r.tir", CAR_TYRE, "TYRESIDE = 'Right'"))
    assert right.side == "right" and right.on("left").side == "left"
    left = mbs.Tyre.from_tir(written(tmp_path / "l.tir", CAR_TYRE))
    assert left.side == "left"
    assert mbs.Tyre.from_tir(tmp_path / "r.tir", side="left").forces(4e3, 0, 0.05) == left.on("right").forces(
        4e3, 0, 0.05
    )
    assert mbs.Tyre.from_tir(written(tmp_path / "s.tir", CAR_TYRE, "TYRESIDE = 'SYMMETRIC'")).side is None


def test_table_of_deflection_and_load(tmp_path: Path) -> None:
    """The table replaces the stiffness, from no load on and beyond its end with its last slope."""
    more = "[DEFLECTION_LOAD_CURVE]\n{pen fz}\n0.01 2000\n0.02 5000\n"
    tyre = mbs.Tyre.from_tir(written(tmp_path / "t.tir", CAR_TYRE, more=more))
    for load, deflection in ((1000.0, 0.005), (3500.0, 0.015), (8000.0, 0.03)):
        assert tyre.loaded_radius(load) == pytest.approx(tyre.radius - deflection, rel=1e-12)
    assert tyre.stiffness == pytest.approx(4850.0 / 0.0195)


def test_stiffness_of_version_61(tmp_path: Path) -> None:
    """Without a vertical stiffness, Q_FZ1 and Q_FZ2 give it."""
    numbers = {key: value for key, value in CAR_TYRE.items() if key != "VERTICAL_STIFFNESS"}
    tyre = mbs.Tyre.from_tir(written(tmp_path / "6.tir", numbers | {"Q_FZ1": 14.0, "Q_FZ2": 15.0}, "FITTYP = 61"))
    assert tyre.stiffness == pytest.approx(4850.0 / 0.344 * math.sqrt(14.0**2 + 60.0))


def test_notes_state_what_is_left_out(tmp_path: Path) -> None:
    """Slip that is never combined, and numbers without effect, by the reason; not zeros and neutral factors."""
    more = {"PDXP1": 0.4, "LMP": 1.0, "Q_CAM": -3.0, "PKY6": 0.0, "WIDTH": 0.2, "RIM_RADIUS": 0.19, "MC_CONTOUR_A": 0.0}
    pure = {key: value for key, value in CAR_TYRE.items() if key[0] != "R"} | more | {"PROFILE": 3.0}
    notes = mbs.Tyre.from_tir(written(tmp_path / "p.tir", pure)).notes
    assert notes == [
        "no coefficients of combined slip (RBX1, RCX1, RBY1, ...): forces of pure slip apply",
        "with turn_slip=True of m.tyre only: PDXP1",
        "without effect, since version 5.2 of the formula does not use them: Q_CAM, WIDTH",
        "without effect, since the size of the rim enters no force: RIM_RADIUS",
        "without effect, since the formula has no coefficients of these names: PROFILE",
    ]


def test_units_and_numbers_of_one_name_are_apart(tmp_path: Path) -> None:
    """MASS is a unit and a number, and keys without a value count as missing."""
    (tmp_path / "m.tir").write_text(
        "[UNITS]\nMASS = 'kg'\n[INERTIA]\nMASS = 9.3\nIXX =\nFNOMIN = 1\n", encoding="utf-8"
    )
    assert read_tir(tmp_path / "m.tir").numbers == {"MASS": 9.3, "FNOMIN": 1.0}


def test_faults_of_programs_are_noted(tmp_path: Path) -> None:
    """A table that occurs twice, a unit in place of a number, a byte order mark: the file is read, with notes."""
    first, last = "[DEFLECTION_LOAD_CURVE]\n0.01 1000\n", "[DEFLECTION_LOAD_CURVE]\n0.02 5000\n0.03 9000\n"
    more = f"{first}[INERTIA]\nMASS = kg\n{last}"
    path = written(tmp_path / "t.tir", CAR_TYRE, "FITTYP = 21", more)
    path.write_text("\ufeff" + path.read_text("utf-8"), encoding="utf-8")
    tyre = mbs.Tyre.from_tir(path)
    assert tyre.loaded_radius(5000.0) == pytest.approx(tyre.radius - 0.02, rel=1e-12)
    line = len(path.read_text("utf-8").splitlines())
    assert tyre.notes == [
        f"line {line - 3}: MASS is the unit 'kg' instead of a number: it counts as missing",
        f"line {line - 2}: [DEFLECTION_LOAD_CURVE] occurs twice: the last one applies",
    ]


def test_versions_that_files_state_otherwise(tmp_path: Path) -> None:
    """As a decimal or in quotes."""
    for text, version in (("6.1", 61), ("'61'", 61), ("6.2", 62), ("5.2", 52), ("21", 52), ("'6'", 52)):
        tyre = mbs.Tyre.from_tir(written(tmp_path / "v.tir", CAR_TYRE, f"FITTYP = {text}"))
        same = mbs.Tyre(CAR_TYRE | {"FITTYP": version})
        assert tyre.forces(4e3, 0.05, 0.1, 0.05).mz == same.forces(4e3, 0.05, 0.1, 0.05).mz
    with pytest.raises(mbs.ModelError, match=r"v\.tir, line 2: tyre: LMUV is -0\.5: friction must decrease"):
        mbs.Tyre.from_tir(written(tmp_path / "v.tir", CAR_TYRE | {"LMUV": -0.5}))


def test_changes_replace_numbers_of_the_file(tmp_path: Path) -> None:
    """Coefficients that the file lacks can be given, and scales changed."""
    path = written(
        tmp_path / "c.tir", {k: v for k, v in CAR_TYRE.items() if k != "VERTICAL_STIFFNESS"}, "TYRESIDE='UNKNOWN'"
    )
    with pytest.raises(mbs.ModelError, match=r"has no VERTICAL_STIFFNESS.*changes="):
        mbs.Tyre.from_tir(path)
    changed = mbs.Tyre.from_tir(path, changes={"VERTICAL_STIFFNESS": 2e5, "LMUY": 0.5})
    assert changed.stiffness == 2e5 and changed.side == "left"
    assert changed.forces(4e3, 0, 0.3) == mbs.Tyre(CAR_TYRE | {"LMUY": 0.5}).forces(4e3, 0, 0.3)
    assert changed.notes == ["TYRESIDE is UNKNOWN: the tyre is treated as a left one"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("FNOMIN = 4850\nrubbish\n", "line 2: 'rubbish' is neither"),
        ("[MODEL\n", "line 1: section '\\[MODEL' does not end"),
        ("FNOMIN = heavy\n", "line 1: FNOMIN is 'heavy': give a number"),
        ("FNOMIN = 4850\nFNOMIN = 4000\n", "line 2: FNOMIN is 4000.0 here and 4850.0 in line 1: keep one"),
        ("[UNITS]\nLENGTH = 'parsec'\n", "line 2: LENGTH = 'parsec' is an unknown unit.*use meter"),
        ("[MODEL]\nPROPERTY_FILE_FORMAT = 'FTIRE'\n", "line 2: PROPERTY_FILE_FORMAT is 'FTIRE'"),
        ("[MODEL]\nFITTYP = 52\n[VERTICAL]\nFNOMIN = 4850\n", "line 2: tyre has no UNLOADED_RADIUS, PDX1"),
        ("[MODEL]\nFITTYP = MF61\n", "line 2: FITTYP is 'MF61': give a number, such as 61"),
        ("hello\n", "line 1: 'hello' is neither"),
        ("\n", "is not a tyre property file"),
        ("[DEFLECTION_LOAD_CURVE]\n1 2 3\n", "line 2: '1 2 3' in .*give two numbers"),
    ],
)  # fmt: skip
def test_wrong_files_are_refused_with_their_line(tmp_path: Path, text: str, words: str) -> None:
    """The message names the file, the line and the remedy."""
    path = tmp_path / "wrong.tir"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(mbs.ModelError, match=words) as caught:
        mbs.Tyre.from_tir(path)
    assert "wrong.tir" in str(caught.value)


def test_missing_files_and_falling_tables_are_refused(tmp_path: Path) -> None:
    """So are files that are not there and tables that fall."""
    with pytest.raises(mbs.ModelError, match=r"gone.tir.*can't be read"):
        mbs.Tyre.from_tir(tmp_path / "gone.tir")
    more = "[DEFLECTION_LOAD_CURVE]\n0.02 2000\n0.01 5000\n"
    with pytest.raises(mbs.ModelError, match="both numbers increase"):
        mbs.Tyre.from_tir(written(tmp_path / "t.tir", CAR_TYRE, more=more))


def test_misspelt_coefficients_are_named(tmp_path: Path) -> None:
    """A change without effect and one of a dictionary are refused with the name that was meant. Others are noted."""
    path = written(tmp_path / "c.tir", CAR_TYRE, more="WIDTH = 0.2\n")
    with pytest.raises(mbs.ModelError, match=r"c\.tir.*no coefficient of the formula is named 'LMUYY'.*'LMUY'"):
        mbs.Tyre.from_tir(path, changes={"LMUYY": 0.5})
    similar = mbs.Tyre.from_tir(written(tmp_path / "s.tir", CAR_TYRE | {"PDY1X": 0.9})).notes
    assert similar[0].startswith("without effect") and "PDY1X (did you mean 'PDY1'" in similar[0]
    notes = mbs.Tyre.from_tir(path, changes={"WIDTH": 0.3, "lmuy": 0.5, "LFZ0": 1.0}).notes
    assert notes == ["without effect, since version 5.2 of the formula does not use them: WIDTH"]
    with pytest.raises(mbs.ModelError, match=r"tyre: no coefficient .* 'PKY11' \(did you mean 'PKY1'.*'lmuyy'.*'LMUY'"):
        mbs.Tyre(CAR_TYRE | {"PKY11": 3.0, "lmuyy": 0.5})
    assert mbs.Tyre(CAR_TYRE | {"WIDTH": 0.2, "LATERAL_DAMPING": 50.0, "Q_CAM": 0.1}).notes != []


def test_all_missing_coefficients_are_named_at_once(tmp_path: Path) -> None:
    """With the spring, which a table of loads in a file, or QFZ1, replaces; any needed one alone too."""
    with pytest.raises(mbs.ModelError, match=f"tyre has no {', '.join(NEEDED)}, VERTICAL_STIFFNESS, or they are zero"):
        mbs.Tyre({})
    for name in NEEDED:
        numbers = {key: value for key, value in CAR_TYRE.items() if key != name}
        with pytest.raises(mbs.ModelError, match=f"tyre has no {name}, or they are zero"):
            mbs.Tyre(numbers)
    with pytest.raises(mbs.ModelError, match="tyre has no PCX1, or they are zero"):
        mbs.Tyre({k: v for k, v in CAR_TYRE.items() if k not in ("PCX1", "VERTICAL_STIFFNESS")} | {"QFZ1": 14.0})


def test_slip_angles_beyond_a_right_angle_are_refused() -> None:
    """The formulas take the tangent of the angle, which repeats."""
    with pytest.raises(mbs.ModelError, match=r"alpha of tyre .* is 2 rad: give a slip angle from -pi/2 to pi/2"):
        mbs.Tyre(CAR_TYRE).forces(4000.0, 0.0, [0.1, 2.0])


def test_what_a_table_of_loads_replaces_is_noted(tmp_path: Path) -> None:
    """The terms of the stiffness; its factors too, unless the inclination has an influence, which they multiply."""
    more = "[DEFLECTION_LOAD_CURVE]\n0.01 2000\n0.02 5000\n"
    numbers = CAR_TYRE | {"Q_FZ2": 5.0, "PFZ1": 0.7, "LCZ": 0.9}
    reason = "without effect, since [DEFLECTION_LOAD_CURVE] replaces them"
    for camber, names in ((0.0, "Q_FZ2, PFZ1, LCZ"), (-3.0, "Q_FZ2")):
        path = written(tmp_path / "t.tir", numbers | {"Q_CAM": camber}, "FITTYP = 61", more)
        assert f"{reason}: {names}" in mbs.Tyre.from_tir(path).notes


@pytest.mark.parametrize("text", ["FNOMIN = 1e999\n", "[DEFLECTION_LOAD_CURVE]\n0.01 1e999\n"])
def test_numbers_beyond_doubles_are_refused(tmp_path: Path, text: str) -> None:
    """Infinity is not read as a number."""
    (tmp_path / "huge.tir").write_text(text, encoding="utf-8")
    with pytest.raises(mbs.ModelError, match=r"huge\.tir, line .*1e999.* give "):
        mbs.Tyre.from_tir(tmp_path / "huge.tir")


def test_comments_are_skipped_up_to_the_next_section(tmp_path: Path) -> None:
    """The sub-block of comments of a header may contain anything."""
    text = "[MDI_HEADER]\nFILE_TYPE = 'tir'\n(COMMENTS)\n{comment_string}\n'a = b'\nFNOMIN = heavy\n"
    text += "[VERTICAL]\nFNOMIN = 4\n"
    (tmp_path / "c.tir").write_text(text, encoding="utf-8")
    assert read_tir(tmp_path / "c.tir").numbers == {"FNOMIN": 4.0}
