"""Springs and motors between two joints: the reaction on one side is the opposite of that on the other."""

from __future__ import annotations

import math

import numpy as np
import pytest

import mbs_fmu as mbs

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("plain_by_default")]
AXIS = mbs.Revolute("y")


def shafts() -> tuple[mbs.Model, mbs.Body, mbs.Body]:
    model = mbs.Model("shafts")
    a, b = (model.body(x, joint=AXIS, mass=1.0, inertia=(i, i, i)) for x, i in (("a", 2.0), ("b", 3.0)))
    return model, a, b


def test_two_shafts_on_a_spring_swing_about_their_mean() -> None:
    """Both shafts follow the closed form: the twist is c cos(wt) with w² = k (1/I + 1/J), and the total angular
    momentum stays zero.
    """
    model, a, b = shafts()
    model.spring("shaft", on=a, against=b, stiffness=6.0)
    model.start(a, q=0.3)
    model.output("torque", mbs.strength("shaft"))
    result = mbs.simulate(model, 1.0, method="rk4", step=0.01, output_interval=0.1)
    twist = result["a.phi"] - result["b.phi"]
    # rk4 with w h = 0.0224: its error is below (w h)^4 / 120 of the amplitude for each unit of w t
    assert np.allclose(twist, 0.3 * np.cos(math.sqrt(5.0) * result.time), rtol=0.0, atol=1e-8)
    assert np.allclose(result["torque"], -6.0 * twist, rtol=1e-14, atol=1e-14)
    assert np.allclose(2.0 * result["a.w"] + 3.0 * result["b.w"], 0.0, atol=1e-13)


def test_a_motor_between_two_shafts_accelerates_both_in_opposite_directions() -> None:
    """The velocities are T t / I and -T t / J, for which rk4 is exact."""
    model, a, b = shafts()
    model.motor("motor", a, torque=6.0, against=b)
    result = mbs.simulate(model, 1.0, method="rk4", step=0.1, output_interval=0.5)
    assert np.allclose([result["a.w"][-1], result["b.w"][-1]], [3.0, -2.0], rtol=1e-14, atol=0.0)


def test_smooth_friction_between_two_shafts_brings_them_to_one_speed() -> None:
    """Viscous friction lets the difference decay with d (1/I + 1/J), and the total angular momentum stays."""
    model, a, b = shafts()
    model.friction("oil", a, torque=0.0, viscous=0.6, against=b)
    model.start(a, u=1.0)
    result = mbs.simulate(model, 2.0, method="rk4", step=0.01, output_interval=0.5)
    # rk4 with a decay of 0.005 in a step: its error is below 0.005^4 / 120 of the decay
    difference = result["a.w"] - result["b.w"]
    assert np.allclose(difference, np.exp(-0.6 * (1 / 2 + 1 / 3) * result.time), rtol=0.0, atol=1e-11)
    assert np.allclose(2.0 * result["a.w"] + 3.0 * result["b.w"], 2.0, rtol=0.0, atol=1e-13)


def test_an_invalid_second_side_is_refused() -> None:
    """The same joint, a joint of another kind and a spring between points are refused, each with one sentence."""
    model, a, b = shafts()
    slide = model.body("slide", joint=mbs.Prismatic("z"), mass=1.0)
    with pytest.raises(mbs.ModelError, match="motor 'm' acts between the joint of body 'a' and itself"):
        model.motor("m", a, torque=1.0, against=a)
    with pytest.raises(mbs.ModelError, match="spring 's': one side turns and the other slides"):
        model.spring("s", on=a, against=slide, stiffness=1.0)
    with pytest.raises(mbs.ModelError, match="against= is for springs on joint coordinates"):
        model.spring("s", a, b, stiffness=1.0, against=b)
