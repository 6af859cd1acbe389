"""Joints by K&C curves: poses, signs, virtual work, energy, a driven rack, FMUs, refusals."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import mbs_fmu as mbs
from support.comparisons import assert_close
from support.generators.mechanisms import Plain
from support.hosts.fmus import Host
from support.oracles.complex_steps import compare_tangents, output_rates, outputs

TRAVEL = np.linspace(-0.08, 0.08, 9)
SIZES = {"x": 0.03, "y": 0.02, "toe": 0.02, "camber": 0.05, "caster": 0.04}
RACK = {"travel": [-0.08, -0.03, 0.0, 0.04, 0.08], "toe": [0.6, 0.2, 0.0, -0.25, -0.5], "x": [0.01, 0, 0, 0, -0.02]}


def curves(seed: int) -> dict[str, np.ndarray]:
    """Return random curves of all kinds."""
    rng = np.random.default_rng(seed)
    return {name: size * rng.normal(size=len(TRAVEL)) for name, size in SIZES.items()}


def turned(axis: str, angle: float) -> np.ndarray:
    """Return the matrix of a rotation about a principal axis."""
    k = "xyz".index(axis)
    a, b = (k + 1) % 3, (k + 2) % 3
    R = np.eye(3)
    R[a, a] = R[b, b] = np.cos(angle)
    R[b, a], R[a, b] = np.sin(angle), -np.sin(angle)
    return R


def pose_at(
    values: dict[str, np.ndarray], travel: Any, s: float, side: float, up: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return position and rotation by scipy's natural splines and products of three rotations."""
    at = {name: float(CubicSpline(travel, y, bc_type="natural")(s)) for name, y in values.items()}
    p = np.array([at.get("x", 0.0), side * at.get("y", 0.0), up * s])
    angles = -side * at.get("toe", 0.0), -side * at.get("camber", 0.0), -at.get("caster", 0.0)
    return p, turned("z", angles[0]) @ turned("x", angles[1]) @ turned("y", angles[2])


def quarter(side: str, seed: int, rack: Any = None) -> mbs.Model:
    """A car that moves freely, and a knuckle on curves; the rack swings."""
    m = mbs.Model("quarter")
    m.body("car", joint=mbs.Free(), mass=400.0, inertia=(90.0, 100.0, 80.0))
    joint = mbs.KnuckleCurves(TRAVEL, **curves(seed), rack=rack, side=side)  # type: ignore[arg-type]
    m.body("knuckle", "car", joint, at=(1.2, 0.7, -0.1), mass=30.0, com=(0.01, 0.02, 0.03), inertia=(0.5, 0.6, 0.7))
    m.spring("spring", on="knuckle", coordinate=None if rack is None else 1, stiffness=2e4)
    if rack is not None:
        m.drive("rack", on="knuckle", coordinate=2, position=0.03 + 0.02 * mbs.sin(3.0 * mbs.time))
    m.start("car", u=(0.3, -0.2, 0.1, 0.4, -0.3, 0.5))
    start = {"q": (0.023, 0.0), "u": (0.7, 0.0)} if rack is not None else {"q": 0.023, "u": 0.7}
    m.start("knuckle", **start)  # type: ignore[arg-type]
    m.output("place", mbs.relative_position("car", "knuckle"))
    m.output("turn", mbs.relative_orientation("car", "knuckle"))
    m.output("E", mbs.energy())
    return m


def matrix(q: np.ndarray) -> np.ndarray:
    """Return the matrix of a unit quaternion, w first."""
    w, v = q[0], q[1:]
    cross = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + 2.0 * (w * cross + cross @ cross)


@pytest.mark.quick
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("rack", [None, RACK])
def test_poses_are_those_of_the_curves(side: str, rack: Any) -> None:
    """Position and rotation equal splines of scipy; a rack moves the knuckle in the axes that the travel has moved."""
    found = outputs(Plain(quarter(side, 3, rack)))
    outward = {"left": 1.0, "right": -1.0}[side]
    p, R = pose_at(curves(3), TRAVEL, 0.023, outward, 1.0)
    if rack is not None:
        own, turn = pose_at({"toe": RACK["toe"], "x": RACK["x"]}, RACK["travel"], 0.03, outward, 0.0)
        p, R = p + R @ own, R @ turn
    assert_close(found["place"], p + np.array([1.2, 0.7, -0.1]), 1e-13, "place")
    assert_close(matrix(found["turn"]), R, 1e-13, "rotation")


@pytest.mark.quick
@pytest.mark.parametrize("side", ["left", "right"])
def test_signs_are_those_of_iso_8855(side: str) -> None:
    """Toe-in turns the front of the wheel inward, camber its top outward, caster its top rearward; y points outward."""
    level, rise = [-0.1, 0.1], [-0.01, 0.01]
    outward = {"left": 1.0, "right": -1.0}[side]
    for name, sign, row in (("toe", -outward, (1, 0)), ("camber", outward, (1, 2)), ("caster", -1.0, (0, 2))):
        m = mbs.Model("signs")
        joint = mbs.KnuckleCurves(level, **{name: rise}, side=side)  # type: ignore[arg-type]
        m.body("knuckle", joint=joint, mass=1.0, inertia=(1.0, 1.0, 1.0))
        m.start("knuckle", q=0.1)
        m.output("turn", mbs.relative_orientation("world", "knuckle"))
        assert matrix(outputs(Plain(m))["turn"])[row] == pytest.approx(sign * np.sin(0.01), rel=1e-9), name
    m = mbs.Model("signs")
    m.body("knuckle", joint=mbs.KnuckleCurves(level, y=[0.0, 0.02], side=side.title()), mass=1.0)
    m.start("knuckle", q=0.1)
    m.output("place", mbs.position("knuckle"))
    assert outputs(Plain(m))["place"] == pytest.approx([0.0, 0.02 * outward, 0.1])


@pytest.mark.quick
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("rack", [None, RACK])
def test_the_joint_does_no_work(seed: int, rack: Any) -> None:
    """The energy of a moving car stays while no rack is driven; tangents equal complex steps."""
    plain = Plain(quarter("left", seed, rack))
    if rack is None:
        assert abs(output_rates(plain)["E"]) < 1e-9  # of a power of the spring of 300 W and more
    compare_tangents(plain, seed, [plain.program.state_slice])


@pytest.mark.quick
def test_braking_forces_lift_the_car_by_the_slopes_of_the_curves() -> None:
    """Virtual work: a force at the patch is in equilibrium with the force along the travel that its way implies."""
    h, s, patch, force = 1e-6, 0.02, np.array([0.02, 0.01, -0.3]), np.array([-2000.0, 300.0, 3500.0])
    ways = []
    for place in (s + h, s - h):
        p, R = pose_at(curves(5), TRAVEL, place, 1.0, 1.0)
        ways.append(p + R @ patch)
    along = (ways[0] - ways[1]) / (2.0 * h) @ force
    m = mbs.Model("brake", gravity=(0, 0, 0))
    m.body("knuckle", joint=mbs.KnuckleCurves(TRAVEL, **curves(5)), mass=30.0, inertia=(0.5, 0.6, 0.7))  # type: ignore[arg-type]
    m.start("knuckle", q=s)
    m.force("patch", "knuckle", at=tuple(patch), force=tuple(force))
    m.motor("spring", on="knuckle", force=-along)
    assert abs(Plain(m).rates()[1]) < 1e-3  # N, of thousands, by differences


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["python", "native"])
def test_fmus_have_the_bits_of_simulate(kind: str, tmp_path: Path) -> None:
    """All columns at every communication point, with a driven rack."""
    if kind == "native":
        pytest.importorskip("ziglang")
    m, tick = quarter("right", 4, RACK), 1 / 128
    where = {"platforms": "host"} if kind == "native" else {}
    path = mbs.export(
        m, tmp_path / "k.fmu", kind, method="rk4", step=tick / 8, stop_time=0.5, communication_step=tick, **where
    )  # fmt: skip
    result = mbs.simulate(m, 0.5, method="rk4", step=tick / 8, output_interval=tick)
    names = [name for name in result.columns if name != "time"]
    with Host(path) as host:
        host.start()
        for row in range(1, len(result["time"])):
            host.step(tick)
            values = host.slave.getReal([host.references[name] for name in names])
            assert np.array_equal(values, [result[name][row] for name in names]), result["time"][row]


@pytest.mark.quick
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"toe": None}, "knuckle curves are without curves: give some of x, y, toe, camber, caster"),
        ({"side": "front"}, 'side of knuckle curves is \'front\': give "left" or "right"'),
        ({"toe": [1, 2]}, "curve 'toe' of knuckle curves needs two or more points and as many values: got 3 and 2"),
        ({"toe": [0, 2.0, 0]}, "toe of knuckle curves reaches 2 rad: give less than 90 degrees, in rad"),
        ({"toe": [0, np.nan, 0]}, "point 2 of curve 'toe' of knuckle curves is 0, its value nan"),
        ({"travel": [0, 0, 1]}, "point 2 of curve 'toe' of knuckle curves is 0 after 0"),
        ({"toe": 0.1}, "toe of knuckle curves is 0.1: give a list of numbers"),
        ({"rack": [1, 2]}, "rack of knuckle curves is"),
        (
            {"rack": {"travel": [0, 1], "tow": [0, 1]}},
            "rack of knuckle curves has no curve 'tow' (did you mean 'toe'?)",
        ),
        ({"rack": {"travel": [0, 1]}}, "rack of knuckle curves are without curves"),
    ],
)
def test_wrong_curves_are_refused(changes: dict[str, Any], message: str) -> None:
    """The message names the curve, the value and the remedy."""
    with pytest.raises(mbs.ModelError, match=re.escape(message)):
        mbs.KnuckleCurves(**{"travel": [-1, 0, 1], "toe": [0.1, 0.0, 0.2], **changes})
