"""Tyre property files that lack groups of coefficients, and damaged ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.tyres.keys import KNOWN
from support.models.tyres import CAR_TYRE

pytestmark = pytest.mark.quick

#: The twelve numbers that MF-Tyre documents as the minimum, for a car's tyre.
TWELVE = {
    "FITTYP": 61, "UNLOADED_RADIUS": 0.3135, "WIDTH": 0.205, "RIM_RADIUS": 0.1905, "INFLPRES": 220000, "FNOMIN": 4000,
    "VERTICAL_STIFFNESS": 209651, "PDX1": 1.2, "PKX1": 21.0, "PDY1": 0.88, "PKY1": -15.3, "PKY2": 1.7,
}  # fmt: skip


def file_of(path: Path, numbers: dict[str, float]) -> Path:
    """Write a file with these numbers and return its path."""
    path.write_text("[ALL]\n" + "\n".join(f"{key} = {value!r}" for key, value in numbers.items()), encoding="utf-8")
    return path


@pytest.mark.parametrize("version", [61, 62, 52])
def test_a_file_with_twelve_numbers_is_complete(tmp_path: Path, version: int) -> None:
    """Shapes, combined slip, aligning moment, rolling resistance and radius are estimated, with a note for each."""
    tyre = mbs.Tyre.from_tir(file_of(tmp_path / "t.tir", TWELVE | {"FITTYP": version}))
    assert sum("estimates by Pacejka (2012), appendix 3" in note for note in tyre.notes) == 7
    forces = tyre.forces(4000.0, 0.0, -0.01)
    assert forces.alpha_stiffness == pytest.approx(-15.3 * 4000.0 * np.sin(2 * np.arctan(1 / 1.7)), rel=1e-9)
    assert max(tyre.forces(4000.0, k, 0.0).fx for k in np.linspace(0, 1, 101)) == pytest.approx(1.2 * 4000.0, rel=1e-3)
    assert forces.mz < 0.0 < forces.fy  # against the slip
    assert abs(tyre.forces(4000.0, 0.1, 0.05).fy) < 0.9 * abs(tyre.forces(4000.0, 0.0, 0.05).fy)
    assert tyre.forces(4000.0).my < 0.0
    assert tyre.loaded_radius(4000.0) < tyre.effective_radius(4000.0) < tyre.radius


def test_numbers_of_a_file_stay(tmp_path: Path) -> None:
    """Also zeros; a group of which the file states one number is not estimated."""
    stated = TWELVE | {"RCX1": 1.0, "PDX2": 0.0, "BREFF": 0.0, "QSY1": 0.0}
    tyre = mbs.Tyre.from_tir(file_of(tmp_path / "t.tir", stated))
    assert (
        "no coefficients of the shape of the longitudinal force: estimates by Pacejka (2012), appendix 3: PCX1 1.6"
        in (tyre.notes)
    )
    assert tyre.forces(4000.0).my == 0.0 and tyre.effective_radius(4000.0) == tyre.radius
    assert tyre.forces(4000.0, 0.05, 0.1).fx == pytest.approx(tyre.forces(4000.0, 0.05, 0.0).fx, rel=1e-12)


def test_complete_files_of_version_5_2_and_dictionaries_are_not_completed(tmp_path: Path) -> None:
    """In them, a missing coefficient is zero."""
    pure = {key: value for key, value in CAR_TYRE.items() if key[0] != "R"}
    tyre = mbs.Tyre.from_tir(file_of(tmp_path / "t.tir", pure))
    assert tyre.notes[0].startswith("no coefficients of combined slip")
    assert tyre.forces(4e3, 0.1, 0.1) == mbs.Tyre(pure).forces(4e3, 0.1, 0.1)
    with pytest.raises(mbs.ModelError, match="tyre has no PCX1, PCY1, or they are zero"):
        mbs.Tyre(TWELVE)


def test_a_missing_stiffness_is_estimated(tmp_path: Path) -> None:
    """In version 6.1, from load and radius; that of 200 N/mm at 4 kN and 313.5 mm is the origin."""
    numbers = {key: value for key, value in TWELVE.items() if key != "VERTICAL_STIFFNESS"}
    tyre = mbs.Tyre.from_tir(file_of(tmp_path / "t.tir", numbers))
    assert tyre.stiffness == pytest.approx(200e3, rel=1e-12)
    assert any(note.startswith("no VERTICAL_STIFFNESS: 200000 N/m is estimated") for note in tyre.notes)
    with pytest.raises(mbs.ModelError, match="has no VERTICAL_STIFFNESS: give it"):
        mbs.Tyre.from_tir(file_of(tmp_path / "z.tir", numbers | {"VERTICAL_STIFFNESS": 0.0}))
    with pytest.raises(mbs.ModelError, match=r"has no PDX1, PKX1, .*or they are zero"):
        mbs.Tyre.from_tir(file_of(tmp_path / "e.tir", {k: v for k, v in TWELVE.items() if k[0] != "P"}))


def whole() -> str:
    """Return a file with all kinds of lines."""
    lines = [
        "[MDI_HEADER]",
        "FILE_TYPE = 'tir'",
        "[UNITS]",
        "LENGTH='mm'",
        "FORCE = 'kN'",
        "ANGLE = 'degrees'",
        "[MODEL]",
    ]
    lines += ["PROPERTY_FILE_FORMAT = 'MF61'", "FITTYP = 61", "TYRESIDE = 'LEFT'", "$ comment", "[SHAPE]", "1.0 0.0"]
    lines += [
        "[DEFLECTION_LOAD_CURVE]",
        "{pen fz}",
        "5 1.0",
        "10 2.5",
        "[VERTICAL]",
        "UNLOADED_RADIUS = 344",
        "FNOMIN = 4.85",
    ]
    lines += [
        f"{key} = {value!r} $ text" for key, value in CAR_TYRE.items() if key not in ("UNLOADED_RADIUS", "FNOMIN")
    ]
    lines += ["KPUMAX = 1.5", "KPUMIN = -1.5", "ALPMAX = 90", "ALPMIN = -90", "FZMAX = 10"]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("seed", range(3))
def test_damaged_files_are_read_or_refused(tmp_path: Path, seed: int) -> None:
    """300 files with lost, changed or added bytes, lines or numbers: each is a tyre or one ModelError."""
    rng, text, path = np.random.default_rng(seed), whole(), tmp_path / "d.tir"
    refused = 0
    for _ in range(100):
        data = bytearray(text.encode())
        for _ in range(int(rng.integers(1, 6))):
            kind, at = int(rng.integers(5)), int(rng.integers(len(data)))
            if kind == 0:
                data[at] = int(rng.integers(256))
            elif kind == 1:
                del data[at : at + int(rng.integers(1, 40))]
            elif kind == 2:
                data[at:at] = bytes(rng.integers(0, 256, size=3).tolist())
            elif kind == 3:
                del data[at:]
            else:
                data[at:at] = rng.choice([b" = 1e999", b"nan", b"[", b"'", b"=\n", b"1e308 ", b"-", b"\x00"])
            data = data or bytearray(b"\n")
        path.write_bytes(data)
        try:
            tyre = mbs.Tyre.from_tir(path)
            assert np.isfinite(tyre.stiffness) and tyre.notes is not None
        except mbs.ModelError as error:
            refused += 1
            assert "d.tir" in str(error) and "\n" not in str(error).rstrip()
    assert 0 < refused < 100


def test_every_known_name_with_odd_values_is_read_or_refused(tmp_path: Path) -> None:
    """Zero, negative and huge numbers in place of each coefficient."""
    for name in sorted(KNOWN):
        for value in (0.0, -1.0, 1e300):
            numbers = CAR_TYRE | {"FITTYP": 61, "Q_FZ2": 15.0} | {name: value}
            try:
                tyre = mbs.Tyre.from_tir(file_of(tmp_path / "o.tir", numbers))
                assert np.isfinite(tyre.stiffness), (name, value)
            except mbs.ModelError as error:
                assert "o.tir" in str(error) or "too large or too small" in str(error), (name, value)
