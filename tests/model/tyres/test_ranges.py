"""Ranges of validity, and friction that decays with the sliding speed."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import mbs_fmu as mbs
from support.models.tyres import CAR_TYRE, car_tyre
from support.oracles.magic_formula import Slip, version_6_1

pytestmark = pytest.mark.quick

RANGES = {
    "KPUMIN": -0.3, "KPUMAX": 0.2, "ALPMIN": -0.15, "ALPMAX": 0.1, "CAMMIN": -0.05, "CAMMAX": 0.04, "FZMIN": 500.0,
    "FZMAX": 6000.0, "NOMPRES": 2e5, "INFLPRES": 2e5, "PRESMIN": 1.5e5, "PRESMAX": 2.5e5, "PPX3": -0.1, "PPY3": -0.2,
}  # fmt: skip
ALL = ("fx", "fy", "mx", "my", "mz")


def inside(fz: float, kappa: float, alpha: float, gamma: float, pressure: float) -> tuple[float, ...]:
    """Return load, slips and pressure within the ranges."""
    return (
        min(fz, 6000.0), min(max(kappa, -0.3), 0.2), min(max(alpha, -0.15), 0.1), min(max(gamma, -0.05), 0.04),
        min(max(pressure, 1.5e5), 2.5e5),
    )  # fmt: skip


@pytest.mark.parametrize(
    "row", [(7000.0, 0.5, 0.3, 0.1, 3e5), (9000.0, -0.5, -0.3, -0.1, 1e5), (300.0, 0.1, 0.05, 0.02, 2e5)]
)
def test_forces_beyond_a_range_are_those_at_its_border(row: tuple[float, ...]) -> None:
    """Each of the inputs is limited; the load has no lower limit. Without ranges the formula is extrapolated."""
    tyre, free = car_tyre(**RANGES), car_tyre(**{k: v for k, v in RANGES.items() if k[-3:] not in ("MIN", "MAX")})
    border, at_once = free.forces(*inside(*row)), tyre.forces(*row)
    unlimited = mbs.Tyre(CAR_TYRE | RANGES, ranges=False).forces(*row)
    for name in ALL:
        assert getattr(at_once, name) == pytest.approx(getattr(border, name), rel=1e-12, abs=1e-9), name
        assert getattr(unlimited, name) == getattr(free.forces(*row), name), name
    assert tyre.loaded_radius(9000.0) == free.loaded_radius(9000.0)


def test_the_other_side_has_mirrored_ranges() -> None:
    """Of slip and inclination angle; a tyre with ranges that differ between the sides is not symmetric."""
    tyre = car_tyre(**RANGES)
    left, right = tyre.forces(4e3, 0.1, 0.2, 0.1), tyre.on("right").forces(4e3, 0.1, -0.2, -0.1)
    assert right.fy == pytest.approx(-left.fy, rel=1e-12) and right.fx == pytest.approx(left.fx, rel=1e-12)
    even = {k: v for k, v in CAR_TYRE.items() if k[:2] in ("PC", "PD", "PK", "UN", "FN", "VE")} | {
        "PDY3": 0.0,
        "PDX3": 0.0,
    }
    assert mbs.Tyre(even).side is None and mbs.Tyre(even | {"ALPMIN": -0.2, "ALPMAX": 0.2}).side is None
    assert mbs.Tyre(even | {"ALPMIN": -0.2, "ALPMAX": 0.1}).side == "left"


def test_ranges_that_cannot_be_meant_do_not_limit() -> None:
    """Empty ones, those without zero, and pressures without the nominal one: with a note each."""
    odd = {"KPUMAX": 0.0, "ALPMIN": 0.1, "ALPMAX": 0.5, "CAMMIN": 0.0, "CAMMAX": 0.0, "FZMAX": 0.0, "NOMPRES": 2e5,
           "INFLPRES": 2e5, "PRESMIN": 1.5, "PRESMAX": 2.5}  # fmt: skip
    tyre = car_tyre(**odd)
    assert tyre.notes == [
        "ALPMIN and ALPMAX are no range around 0: no limit applies",
        "CAMMIN and CAMMAX are no range around 0: no limit applies",
        "PRESMIN and PRESMAX are no range around 200000: no limit applies",
        "KPUMIN and KPUMAX are no range around 0: no limit applies",
        "FZMAX is 0: no limit applies to the load",
    ]
    assert tyre.forces(9e3, 0.5, 0.6, 0.1).fy == car_tyre().forces(9e3, 0.5, 0.6, 0.1).fy
    one_sided = car_tyre(CAMMIN=0.0, CAMMAX=0.07, ALPMIN=-3.15, ALPMAX=3.15)
    assert one_sided.notes == []
    assert one_sided.forces(4e3, 0.0, 0.05, -0.03).fy == car_tyre().forces(4e3, 0.0, 0.05, 0.0).fy


def test_files_have_ranges(tmp_path: Path) -> None:
    """In the units of the file; ranges=False removes them."""
    (tmp_path / "r.tir").write_text(
        "[UNITS]\nANGLE='degrees'\n[ALL]\nALPMIN=-5\nALPMAX=5\n"
        + "\n".join(f"{k} = {v!r}" for k, v in CAR_TYRE.items()),
        encoding="utf-8",
    )
    tyre = mbs.Tyre.from_tir(tmp_path / "r.tir")
    assert tyre.forces(4e3, 0.0, 0.2).fy == pytest.approx(tyre.forces(4e3, 0.0, math.radians(5)).fy, rel=1e-12)
    assert mbs.Tyre.from_tir(tmp_path / "r.tir", ranges=False).forces(4e3, 0.0, 0.2) == car_tyre().forces(4e3, 0.0, 0.2)


@pytest.mark.parametrize("speed", [5.0, 16.7, 40.0])
def test_friction_decays_with_the_sliding_speed(speed: float) -> None:
    """LMUV of (4.E7) in 6.1 agrees with the independent evaluation; 5.2 has the same factor."""
    numbers = CAR_TYRE | {"FITTYP": 61, "LMUV": 0.3, "LONGVL": 16.7, "NOMPRES": 2e5}
    for kappa, alpha in ((0.1, 0.0), (-0.3, 0.1), (0.0, -0.2)):
        got = mbs.Tyre(numbers).forces(4e3, kappa, alpha, 0.02, speed=speed)
        want = version_6_1(numbers, Slip(4e3, kappa, alpha, 0.02, speed))
        for name in ("fx", "fy", "mz"):
            assert getattr(got, name) == pytest.approx(getattr(want, name), rel=1e-5, abs=1e-3), name
    sliding = 40.0 * 0.5
    factor = 1.0 / (1.0 + 0.3 * sliding / 16.7)
    decayed = car_tyre(LMUV=0.3, LONGVL=16.7).forces(4e3, -0.5, 0.0, speed=40.0)
    scaled = car_tyre(LMUX=factor, LMUY=factor).forces(4e3, -0.5, 0.0, speed=40.0)
    assert decayed.fx == pytest.approx(scaled.fx, rel=1e-12)


def test_the_spring_has_a_pressure_within_its_range() -> None:
    """As the forces have; the pressure of a tyre outside its range, and one in another unit, have notes."""
    numbers = {"FITTYP": 61, "NOMPRES": 2e5, "PRESMIN": 1.5e5, "PRESMAX": 3e5, "PFZ1": 0.7}
    inside, beyond = car_tyre(**numbers, INFLPRES=3e5), car_tyre(**numbers, INFLPRES=4e5)
    assert beyond.loaded_radius(4e3) == inside.loaded_radius(4e3) < car_tyre(**numbers, INFLPRES=3e5).radius
    assert [note for note in beyond.notes if note not in inside.notes] == [
        "INFLPRES is 400000, beyond its range: 300000 applies"
    ]
    bar = car_tyre(**numbers, INFLPRES=2.0)
    assert "INFLPRES is 1e-05 times NOMPRES: check the unit of both, by default Pa" in bar.notes
