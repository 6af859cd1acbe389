"""Stiffness of meshing teeth: the mean by formula, the variation by counting lines of contact, and use in gears."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.symbolic.graph import evaluate
from support.comparisons import assert_close

pytestmark = pytest.mark.quick


def spur(teeth: Any = (20, 40), **gives: Any) -> mbs.MeshStiffness:
    words = {"module": "3 mm", "width": "25 mm", "contact_ratio": 1.6} | gives
    return mbs.mesh_stiffness(teeth, **words)


def values(k: mbs.MeshStiffness, phases: np.ndarray) -> np.ndarray:
    """Return the stiffness at several phases, N/m."""
    return np.array([evaluate(k.of(float(x)), {}) for x in phases])


def test_the_mean_is_that_of_the_standard() -> None:
    """C_M cos b / q', times 0.75 e_a + 0.25 for all pairs, in N/(mm µm), and its proportions."""
    k, per_width = spur(), 25e-3 * 1e9
    compliance = 0.04723 + 0.15551 / 20 + 0.25791 / 40
    assert k.single == pytest.approx(0.8 / compliance * per_width, rel=1e-14)
    assert k.mean == pytest.approx(k.single * (0.75 * 1.6 + 0.25), rel=1e-14)
    assert (round(k.single / per_width, 3), round(k.mean / per_width, 3)) == (13.018, 18.876)
    ring = spur((24, -60))  # infinitely many teeth on the wheel
    assert ring.single == pytest.approx(0.8 / (0.04723 + 0.15551 / 24) * per_width, rel=1e-14)
    assert spur((40, 20)) == k and spur((-60, 24)) == ring
    assert spur(width=0.05).mean == pytest.approx(2.0 * k.mean) and spur(module=7e-3) == k
    assert spur(modulus=103e9, correction=0.9).mean == pytest.approx(0.45 * k.mean, rel=1e-14)
    x1, x2, n1, n2 = 0.4, -0.1, 20 / np.cos(0.2) ** 3, 40 / np.cos(0.2) ** 3
    shifted = 0.04723 + 0.15551 / n1 + 0.25791 / n2 - 0.00635 * x1 - 0.11654 * x1 / n1 - 0.00193 * x2
    shifted += -0.24188 * x2 / n2 + 0.00529 * x1**2 + 0.00182 * x2**2
    helical = spur(helix=-0.2, shifts=(x1, x2))
    assert helical.single == pytest.approx(0.8 * np.cos(0.2) / shifted * per_width, rel=1e-13)
    assert spur((40, 20), helix=0.2, shifts=(x2, x1)) == helical


@pytest.mark.parametrize("helix", [0.0, 0.15])
def test_the_variation_is_that_of_the_lines_of_contact(helix: float) -> None:
    """A pair of teeth touches for e_a pitches in each slice, and slices follow each other over e_b pitches."""
    k = spur(helix=helix, harmonics=400)
    overlap = 0.025 * np.sin(helix) / (np.pi * 0.003)
    slices = (np.arange(400) + 0.5) / 400.0 - 0.5
    phases = np.linspace(0.1, 6.2, 13)
    offsets = phases[:, None, None] / (2.0 * np.pi) - np.arange(-5, 6)[:, None] + overlap * slices
    counted = (np.abs(offsets) < 0.5 * 1.6).sum(axis=(1, 2)) / 400.0
    assert_close(values(k, phases) / k.mean, counted / 1.6, 0.01, "stiffness by the phase, relative")


def test_of_has_the_mean_and_the_period_of_a_tooth() -> None:
    """The mean over a tooth is `mean`; whole contact ratios, overlaps, and no harmonics make it constant."""
    k, phases = spur(), np.arange(24) * 2.0 * np.pi / 24.0
    assert values(k, phases).mean() == pytest.approx(k.mean, rel=1e-14)
    assert_close(values(k, phases + 2.0 * np.pi), values(k, phases), 1e-12 * k.mean, "stiffness")
    assert np.ptp(values(k, phases)) > 0.3 * k.mean and values(k, phases).min() > 0.0
    for constant in (spur(contact_ratio=2.0), spur(harmonics=0), spur(helix=np.arcsin(np.pi * 0.003 / 0.025))):
        assert np.ptp(values(constant, phases)) < 1e-12 * k.mean


@pytest.mark.usefixtures("in_plain_python")
def test_it_is_the_stiffness_of_a_gear() -> None:
    """Energy stays in a mesh whose teeth come and go."""
    k = spur()
    m = mbs.Model("pair", gravity=(0, 0, 0))
    for name, x, u in (("a", 0.0, 300.0), ("b", 0.09, -148.0)):
        m.body(name, joint=mbs.Revolute("z"), mass=1.0, inertia=(1e-3, 1e-3, 1e-3), at=(x, 0, 0))
        m.start(name, q=0.0, u=u)
    m.gear("mesh", "a", "b", teeth=(20, 40), pressure_angle="20 deg", stiffness=k.of)
    m.output("E", mbs.energy())
    m.output("tooth", mbs.strength("mesh"))
    r = mbs.simulate(m, 5e-4, method="dop853", rtol=1e-10, output_interval=1e-4)
    assert np.abs(r["tooth"]).max() > 100.0
    assert np.abs(r["E"] - r["E"][0]).max() < 1e-7 * r["E"][0]


REFUSED: dict[str, tuple[str, Callable[[], object]]] = {
    "millimetres": (r"a module of 3 m is too large: give it in m, or with a unit", lambda: spur(module=3.0)),
    "one wheel": (r"mesh stiffness: teeth is 20: give two whole numbers", lambda: spur(20)),
    "half a tooth": (r"mesh stiffness: teeth is .*20\.5.*: give two whole numbers", lambda: spur((20.5, 40))),
    "two rings": (r"two internal gears can't mesh", lambda: spur((-20, -40))),
    "no width": (r"width of the mesh stiffness is 0\.0: it must be positive", lambda: spur(width=0.0)),
    "a module in degrees": (r"module of the mesh stiffness is '3 deg'", lambda: spur(module="3 deg")),
    "few pairs": (r"a contact ratio of 1\.1 is below 1\.2", lambda: spur(contact_ratio=1.1)),
    "degrees as radians": (r"a helix angle of 15 rad is too large: give less than 45 deg", lambda: spur(helix=15)),
    "shifts": (r"shifts is 0\.1: give the profile shifts of both", lambda: spur(shifts=0.1)),
    "shifts beyond the standard": (
        r"profile shifts 0\.1 of the smaller wheel and 0\.3",
        lambda: spur(shifts=(0.1, 0.3)),
    ),
    "harmonics": (r"harmonics is -1: give a whole number from 0 on", lambda: spur(harmonics=-1)),
}


@pytest.mark.parametrize("what", REFUSED)
def test_invalid_stiffnesses_are_refused(what: str) -> None:
    message, build = REFUSED[what]
    with pytest.raises(mbs.ModelError, match=message):
        build()
