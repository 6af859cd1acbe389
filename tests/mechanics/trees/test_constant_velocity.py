"""Constant-velocity joints against closed forms: equal speeds, torques of the shafts, and Hooke's joint beside them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.infrastructure.errors import ModelError
from support.cases import tiers
from support.comparisons import assert_close

pytestmark = pytest.mark.quick

SHAFT = {"mass": 1.0, "inertia": (0.01, 0.02, 0.02)}
SPEED = 5.0  #: rad/s, of the driving shaft
EPS = np.finfo(float).eps


def driveline(joint: mbs.Joint, angle: float, start: float) -> mbs.Model:
    """Return a shaft along x that drives another one by `joint`, whose bearing lies in the plane x, y at an angle (rad)
    to it."""
    m = mbs.Model("driveline", gravity=(0, 0, 0))
    m.body("a", joint=mbs.Revolute("x"), **SHAFT)
    m.drive("turn", on="a", position=SPEED * mbs.time)
    m.body("b", "a", joint, **SHAFT)
    axis = np.array([np.cos(angle), np.sin(angle), 0.0])
    m.close("bearing", "world", "b", mbs.OnLine(axis), at_a=0.5 * axis, at_b=(0.5, 0, 0))
    m.start("b", q=(0.0, start), guess=True)
    m.output("speed", mbs.angular_velocity("b").dot(axis))
    return m


@pytest.mark.parametrize("angle", tiers([0.1, np.radians(30), 0.9], usual=3))
def test_both_shafts_have_the_same_speed(angle: float) -> None:
    result = mbs.simulate(driveline(mbs.ConstantVelocity("x"), angle, 2.0 * np.tan(angle / 2)), 2.0, rtol=1e-9)
    # residuals of positions are below 1e-12, velocities of closed loops are exact at the coordinates
    assert_close(result["speed"], SPEED, 1e-11, "speed of the driven shaft")
    size = np.hypot(result["b.q[1]"], result["b.q[2]"])
    assert_close(size, 2.0 * np.tan(angle / 2), 1e-9, "twice the tangent of half the angle between the shafts")


def test_hookes_joint_has_its_ratio() -> None:
    """cos b/(1 - sin² b cos² f), with the angle f of the driving shaft; its fork begins normal to the plane of both."""
    angle = np.radians(30)
    result = mbs.simulate(driveline(mbs.Universal("yz"), angle, angle), 2.0, rtol=1e-9)
    ratio = np.cos(angle) / (1.0 - (np.sin(angle) * np.cos(result["a.phi"])) ** 2)
    assert_close(result["speed"], SPEED * ratio, 1e-11, "speed of the driven shaft")


def articulated() -> mbs.Model:
    """Return two shafts, each in a bearing, that a constant-velocity joint closes; the second bearing tilts about two
    axes without twisting about the first shaft."""
    m = mbs.Model("articulated", gravity=(0, 0, 0))
    t = mbs.time
    m.body("a", joint=mbs.Revolute("x"), **SHAFT)
    m.drive("turn", on="a", position=3.0 * t + mbs.sin(2.0 * t))
    m.body("housing", joint=mbs.ConstantVelocity("x"))
    m.drive("articulate", on="housing", position=(0.5 * mbs.sin(1.3 * t), 0.8 * mbs.cos(2.1 * t)))
    m.body("b", "housing", mbs.Revolute("x"), **SHAFT)
    m.close("joint", "a", "b", mbs.ConstantVelocity("x"))
    shaft = mbs.position("b", (1, 0, 0)) - mbs.position("b")
    m.output("torque", mbs.multiplier("joint", 4))
    m.output("on_b", mbs.reaction("joint").t)
    m.output("acceleration", mbs.angular_acceleration("b").dot(shaft))
    return m


def test_shafts_turn_by_equal_angles_while_the_angle_between_them_changes() -> None:
    result = mbs.simulate(articulated(), 3.0, rtol=1e-9)
    assert_close(result["b.phi"], result["a.phi"], 1e-11, "angle of the driven shaft")
    assert_close(result["b.w"], result["a.w"], 1e-11, "its speed")


def test_the_multiplier_is_the_torque_of_the_shafts() -> None:
    """The torque along the bisecting direction has that component along both shafts, and bends them by the tangent of
    half their angle."""
    result = mbs.simulate(articulated(), 3.0, rtol=1e-9)
    torque = SHAFT["inertia"][0] * result["acceleration"]
    assert_close(result["torque"], torque, 1e-12, "inertia of the driven shaft times its acceleration")
    half = np.arctan(0.5 * np.hypot(result["housing.q[1]"], result["housing.q[2]"]))
    assert_close(np.linalg.norm(result["on_b"], axis=1), np.abs(torque) / np.cos(half), 1e-12, "torque on b")


def test_a_joint_of_the_tree_equals_a_closure() -> None:
    """A shaft with a disk off its axis, on the joint and led by a line, or in a bearing of its own."""
    angle = 0.6
    R = mbs.axis_angle("z", angle)
    axis, disk = R[:, 0], {"mass": 1.0, "com": (0.3, 0.1, 0.0), "inertia": (0.01, 0.02, 0.03)}
    results = []
    for closed in (False, True):
        m = mbs.Model("shafts")
        m.body("a", joint=mbs.Revolute("x"), **SHAFT)
        m.motor("drive", on="a", torque=0.2)
        if closed:
            m.body("b", "world", mbs.Revolute("x"), **disk, at=mbs.Pose((0, 0, 0), R))
            m.close("joint", "a", "b", mbs.ConstantVelocity("x"))
        else:
            m.body("b", "a", mbs.ConstantVelocity("x"), **disk)
            m.close("bearing", "world", "b", mbs.OnLine(axis), at_a=0.5 * axis, at_b=(0.5, 0, 0))
            m.start("b", q=(0.0, 2.0 * np.tan(angle / 2)), guess=True)
        m.output("place", mbs.position("b", (0.3, 0.2, 0.1)))
        results.append(mbs.simulate(m, 2.0, rtol=1e-10))
    one, other = results
    assert np.ptp(one["a.phi"]) > 2.0
    assert_close(one["a.phi"][-1], other["a.phi"][-1], 1e-7, "angle")
    assert_close(one["place"][-1], other["place"][-1], 1e-7, "point of the driven shaft")


@pytest.mark.parametrize("axis", ["x", "-y", "z", (1, 2, -1)])
def test_the_body_turns_about_a_direction_normal_to_the_shaft(axis: str) -> None:
    """By 2 atan(|q|/2) about the combination of the directions of a planar joint of equal axis."""
    q = np.array([0.7, -1.1])
    m = mbs.Model("turned", gravity=(0, 0, 0))
    m.body("b", joint=mbs.ConstantVelocity(axis), **SHAFT)
    m.body("plane", joint=mbs.Planar(axis), **SHAFT)
    m.start("b", q=q)
    m.start("plane", q=(*q, 0.0))
    m.output("direction", mbs.position("plane"))
    for k in range(3):
        m.output(f"e{k}", mbs.position("b", np.eye(3)[k]))
    result = mbs.simulate(m, 0.01, method="rk4", step=0.01)
    length = np.linalg.norm(q)
    turned = mbs.axis_angle(tuple(result["direction"][0]), 2.0 * np.arctan(length / 2.0))
    assert_close(np.array([result[f"e{k}"][0] for k in range(3)]).T, turned, 10 * EPS, "axes of the body")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda m, joint: (m.close("loop", "world", "b", joint), mbs.simulate(m, 0.1)),
            "a constant-velocity joint beside other turns is not supported as a loop's joint",
        ),
        (
            lambda m, joint: (m.body("c", "b", joint, **SHAFT), mbs.simulate(m, 0.1, formulation="absolute")),
            "a constant-velocity joint beside other rotations",
        ),
        (
            lambda m, joint: m.drive("d", on=m.body("c", joint=mbs.ConstantVelocity()), coordinate=1, position=0.1),
            "single coordinates of a ball, free, constant-velocity or custom joint can't be driven",
        ),
        (lambda m, joint: mbs.ConstantVelocity("w"), "unknown axis 'w'"),
    ],
)
def test_what_is_refused(change: Callable[[mbs.Model, mbs.Joint], object], message: str) -> None:
    m = mbs.Model("refused")
    m.body("b", joint=mbs.Free(), **SHAFT)
    with pytest.raises(ModelError, match=message):
        change(m, mbs.Compound(mbs.turn("x"), *mbs.ConstantVelocity("x").motions))
