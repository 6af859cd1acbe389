"""Equilibria and steady motions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from models.four_bar import four_bar
from models.governor import governor
from support.comparisons import assert_close

pytestmark = pytest.mark.usefixtures("in_plain_python")

FREE = ["arm.q[1]", "arm.q[2]", "arm.q[3]", "torque"]


def test_trim_gives_the_steady_motion_of_the_governor() -> None:
    """At 10 rad/s, from the hanging arm, it is the steady motion in which a run ends."""
    trimmed = mbs.trim(governor(), start={"shaft.w": 10.0}, free=FREE)
    assert trimmed.values["slide"] == pytest.approx(0.315739, abs=1e-6)
    assert trimmed.values["alpha"] == pytest.approx(1.377891, abs=1e-6)
    assert trimmed.residual < 1e-10
    assert_close(trimmed.values["torque"], 0.0, 1e-11, "torque")
    values = trimmed.modes().values
    # the angle without effect, and the arbitrary speed
    assert_close(values[:2], 0.0, 1e-10, "eigenvalue")
    frequencies, decays = np.sort(np.abs(values[2:].imag)), np.sort(values[2:].real)
    assert_close(frequencies, [15.991, 15.991, 23.810, 23.810, 26.358, 26.358], 1e-3, "imaginary part")
    assert_close(decays, [-2.752, -2.752, -2.566, -2.566, -0.825, -0.825], 1e-3, "real part")


def test_a_trimmed_four_bar_is_at_a_minimum_of_its_potential() -> None:
    """Moments of the weights vanish, by the principle of virtual work on the shapes."""
    trimmed = mbs.trim(four_bar(), start={"crank.phi": -1.3, "crank.w": 0.0})
    assert trimmed.residual < 1e-11
    assert_close(trimmed.modes().values.real, 0.0, 1e-9, "real part of eigenvalue")
    energy = trimmed.C[trimmed.outputs.index("energy")]
    assert_close(energy[0], 0.0, 1e-11, "slope of the energy by the first state")


@pytest.mark.quick
def test_trim_finds_the_terminal_speed() -> None:
    """A velocity may be unknown: c v² = m g."""
    m = Model("falling")
    body = m.body("b", joint=mbs.Prismatic("z"), mass=2.0)
    m.motor("drag", on=body, force=-0.3 * mbs.rate(body) * mbs.abs(mbs.rate(body)))
    trimmed = mbs.trim(m, start={"b.v": -1.0}, free=["b.v"])
    assert trimmed.values["b.v"] == pytest.approx(-np.sqrt(2.0 * 9.81 / 0.3), rel=1e-12)


def whirling() -> Model:
    m = Model("whirling")
    shaft = m.body("shaft", joint=mbs.Revolute("z"), mass=1.0, inertia=(0.1, 0.1, 0.1))
    arm = m.body("arm", shaft, mbs.Revolute("x"), mass=1.0, com=(0, 0, -0.5), inertia=(0, 0, 0), at=(0, 0.1, 0))
    m.spring("air", on=arm, damping=0.1)
    m.motor("drive", on=shaft, torque=m.input("torque", unit="N.m"))
    return m


@pytest.mark.parametrize("speed", [2.0, 8.0, 20.0])
def test_a_whirling_pendulum_has_the_exact_angle(speed: float) -> None:
    """w² (r + l sin phi) = g tan phi, from hanging down."""
    trimmed = mbs.trim(whirling(), start={"shaft.w": speed}, free=["arm.phi", "torque"])
    exact = brentq(lambda x: speed**2 * (0.1 + 0.5 * np.sin(x)) * np.cos(x) - 9.81 * np.sin(x), 0.0, np.pi / 2)
    assert trimmed.values["arm.phi"] == pytest.approx(exact, abs=1e-10)


def sledge(height: float) -> Model:
    """Return a body on four soft feet that slide without friction: its place and heading on the ground are free."""
    m = Model("sledge")
    body = m.body("body", joint=mbs.Free(), mass=12.0, com=(0.05, 0, 0), inertia=(0.4, 1.5, 1.7))
    for k, (x, y) in enumerate(((0.4, 0.3), (0.4, -0.3), (-0.5, 0.3), (-0.5, -0.3))):
        foot = (x, y, -0.2)
        depth = -mbs.position(body, foot)[2]
        push = mbs.where(depth > 0.0, 2e4 * depth - 400.0 * mbs.velocity(body, foot)[2], 0.0)
        m.force(f"foot{k}", on=body, at=foot, force=(0, 0, push))
    m.start(body, q=(0.3, 0.2, 0.2 + height, 1, 0, 0, 0))
    return m


DEPTH = 12.0 * 9.81 / (4 * 2e4)  #: m, penetration of the feet without the tilt


@pytest.mark.quick
def test_trim_keeps_unconstrained_coordinates() -> None:
    """From feet that touch, columns of slopes of rounding size move nothing, and Newton's method ends in a few steps.

    Moments about the feet's middle give the tilt of the sledge: m g (0.1 + 0.2 a) = c Σ x² a, to a², which is 1e-6.
    """
    trimmed = mbs.trim(sledge(-0.01))
    assert [trimmed.values[f"body.q[{k}]"] for k in (1, 2)] == pytest.approx([0.3, 0.2], abs=0.01)
    weight = 12.0 * 9.81
    tilt = 0.1 * weight / (2e4 * 4 * 0.45**2 - 0.2 * weight)
    x, y, z = (trimmed.values[f"body.q[{k}]"] for k in (5, 6, 7))
    assert 2 * y == pytest.approx(tilt, rel=1e-5)
    assert_close([x, z], 0.0, 1e-12, "vector part of the quaternion of the body", "xz")
    middle = trimmed.values["body.q[3]"] + 0.05 * tilt
    assert middle == pytest.approx(0.2 - DEPTH, abs=1e-6)


@pytest.mark.quick
def test_coordinates_without_stiffness_are_named() -> None:
    """At 5 cm above the ground nothing carries the sledge: the error names the coordinate and the remedy without a long
    search.
    """
    with pytest.raises(mbs.ModelError, match=r"body.u\[3\]: -118 N.* No unknown changes the forces along body.u\[3\]"):
        mbs.trim(sledge(0.05))


@pytest.mark.quick
def test_trim_can_start_from_the_end_of_a_run() -> None:
    """This is the remedy: after a second the sledge is on its feet."""
    trimmed = mbs.trim(sledge(0.05), settle=1.0)
    assert trimmed.residual < 1e-9
    assert trimmed.values["body.q[3]"] == pytest.approx(mbs.trim(sledge(-0.01)).values["body.q[3]"], abs=1e-9)
    with pytest.raises(mbs.ModelError, match="settle must not be negative, not -1"):
        mbs.trim(sledge(0.05), settle=-1.0)


@pytest.mark.quick
def test_forces_without_an_equilibrium_are_named() -> None:
    """A torque on a shaft without friction has no equilibrium."""
    with pytest.raises(mbs.ModelError, match=r"no steady motion found from there; .* shaft.w: 0.5 N.m\."):
        mbs.trim(whirling(), inputs={"torque": 0.5})
    message = r"free: 'arm.w\[1\]' cannot be an unknown \(did you mean 'arm.w'\?\); there are shaft.phi, arm.phi"
    with pytest.raises(mbs.ModelError, match=message):
        mbs.trim(whirling(), free=["arm.w[1]"])
