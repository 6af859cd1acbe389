"""Radial and axial parts of tooth forces on fixed hinges, rigid and elastic, in closed form and in reactions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from support.cases import tiers
from support.comparisons import assert_close

NORMAL, SLOPE, T = np.radians(20.0), np.radians(15.0), 10.0
TRANSVERSE = float(np.arctan(np.tan(NORMAL) / np.cos(SLOPE)))
LAWS: dict[str, dict[str, Any]] = {"rigid": {}, "elastic": {"stiffness": 1e8, "damping": 1e4}}


def driven(m: Model, law: str, sense: float) -> Model:
    """Drive a with a torque of either sense against a brake on b, in steady motion."""
    m.motor("drive", on="a", torque=sense * T)
    m.spring("brake", on="b", damping=5.0)
    for name in "ab":
        m.output(name, mbs.reaction(name))
    m.output("tooth", mbs.multiplier("mesh") if law == "rigid" else mbs.strength("mesh"))
    return m


def forces(m: Model, **settings: Any) -> tuple[np.ndarray, np.ndarray, float, np.ndarray]:
    """Return the reactions of a, force and torque, and of b, and the tooth force, at the end of a run."""
    r = mbs.simulate(m, 2.0, method="rodas5p", rtol=1e-8, output_interval=1.0, **settings)
    a, b = (np.concatenate([r[f"{name}.f"][-1], r[f"{name}.t"][-1]]) for name in "ab")
    return a, b, float(r["tooth"][-1]), np.array([r["a.w"][-1], r["b.w"][-1]])


@pytest.mark.parametrize("sense", [1.0, -1.0])
@pytest.mark.parametrize("law", list(LAWS))
@pytest.mark.parametrize("inside", tiers([False, True], usual=1))
def test_hinges_of_helical_wheels_carry_the_whole_tooth_force(law: str, inside: bool, sense: float) -> None:
    """The radial part Ft tan a_t separates the wheels for either torque; the axial part Ft tan b changes its sign."""
    ra, rb = 0.02, 0.05 if inside else 0.04
    m = Model("pair", gravity=(0, 0, 0))
    m.body("a", joint=mbs.Revolute("z"), mass=1.0, inertia=(1e-3, 1e-3, 2e-3))
    m.body("b", joint=mbs.Revolute("z"), mass=4.0, inertia=(8e-3, 8e-3, 1.6e-2), at=(-0.03 if inside else 0.06, 0, 0))
    teeth = (20, -50) if inside else (20, 40)
    m.gear("mesh", "a", "b", teeth=teeth, pressure_angle="20 deg", helix="15 deg", **LAWS[law])
    a, b, tooth, w = forces(driven(m, law, sense))
    tangential = T / ra
    radial, axial = tangential * np.tan(TRANSVERSE), tangential * np.tan(SLOPE)
    outwards = -1.0 if inside else 1.0  # the teeth touch at +x of a; the larger ring is pushed to that side
    expected = np.array([radial, sense * tangential, -sense * axial])  # a is right-handed
    assert_close(a[:3], expected, 1e-7 * tangential, "force on a")
    assert_close(b[:3], -expected, 1e-7 * tangential, "force on b")
    assert_close(a[3:], [0.0, sense * axial * ra, sense * T], 1e-7 * T, "torque on a, with that of its motor")
    assert abs(tooth) == pytest.approx(tangential / np.cos(TRANSVERSE), rel=1e-7)
    assert w[0] / w[1] == pytest.approx(-outwards * rb / ra, rel=1e-7)


@pytest.mark.parametrize("sense", [1.0, -1.0])
@pytest.mark.parametrize("law", list(LAWS))
def test_hinges_of_bevel_wheels_carry_the_whole_tooth_force(law: str, sense: float) -> None:
    """Ft tan a cos d across the axis and Ft tan a sin d along it, away from the apex, for either torque."""
    d, radius = np.arctan2(20, 35), 0.02
    m = Model("bevel", gravity=(0, 0, 0))
    m.body("a", joint=mbs.Revolute("z"), mass=1.0, inertia=(1e-3, 1e-3, 2e-3))
    m.body("b", joint=mbs.Revolute("x"), mass=1.0, inertia=(4e-3, 2e-3, 2e-3))
    m.gear("mesh", "a", "b", teeth=(20, 35), radii=(radius, 0.035), pressure_angle="20 deg", **LAWS[law])
    a, b, tooth, _ = forces(driven(m, law, sense))
    tangential = T / radius
    radial = tangential * np.tan(NORMAL)
    expected = np.array([radial * np.cos(d), sense * tangential, -radial * np.sin(d)])
    assert_close(a[:3], expected, 1e-7 * tangential, "force on a")
    assert_close(b[:3], -expected, 1e-7 * tangential, "force on b")
    assert abs(tooth) == pytest.approx(tangential / np.cos(NORMAL), rel=1e-7)


@pytest.mark.usefixtures("in_plain_python")
@pytest.mark.parametrize("sense", tiers([1.0, -1.0], usual=1))
def test_reactions_are_those_of_absolute_coordinates_and_of_elastic_teeth(sense: float) -> None:
    """Wheels on a shaft within a shaft: all hinges inboard of a wheel carry the separating force, none beyond both."""

    def nested(law: str) -> Model:
        m = Model("nested", gravity=(0, -9.81, 0))
        m.body("frame", joint=mbs.Revolute("x"), mass=5.0, com=(0.1, 0.0, 0.0), inertia=(0.1, 0.1, 0.1))
        m.body("sleeve", "frame", mbs.Revolute("z"), mass=1.0, inertia=(1e-2, 1e-2, 2e-2))
        m.body("a", "sleeve", mbs.Revolute("z"), mass=1.0, com=(0, 0, 0.1), inertia=(1e-2, 1e-2, 2e-2))
        m.body("b", "frame", mbs.Revolute("z"), mass=4.0, inertia=(8e-3, 8e-3, 1.6e-2), at=(0.06, 0.02, 0.03))
        stiff = {} if law == "rigid" else {"stiffness": 1e11, "damping": 1e8}
        m.gear("mesh", "a", "b", teeth=(20, 40), carrier="frame" if law == "rigid" else None, helix=-0.2,
               pressure_angle=0.35, **stiff)  # fmt: skip
        m.motor("drive", on="a", torque=sense * T)
        m.spring("brake", on="b", damping=5.0)
        for name in ("frame", "sleeve", "a", "b"):
            m.output(name, mbs.reaction(name))
        return m

    rigid = nested("rigid")
    rigid.output("mesh", mbs.reaction("mesh"))
    tree, absolute = (
        mbs.simulate(rigid, 0.02, method="rk4", step=2e-3, output_interval=0.01, formulation=formulation)
        for formulation in ("tree", "absolute")
    )
    elastic = mbs.simulate(nested("elastic"), 0.02, method="rodas5p", rtol=1e-8, output_interval=0.02)
    for name in ("frame", "sleeve", "a", "b", "mesh"):
        for part in ("f", "t"):
            expected = tree[f"{name}.{part}"]
            assert_close(absolute[f"{name}.{part}"], expected, 1e-5 * np.abs(expected).max(), f"{name}.{part}")
            if name != "mesh":
                assert_close(elastic[f"{name}.{part}"][-1], expected[-1], 1e-3 * np.abs(expected).max(), name)
    assert np.abs(tree["mesh.f"][-1]).min() > 1.0
