"""Screws that close loops: closed forms, many turns, other motions beside them, and joints without a thread."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.geometry.poses import rotation_matrix
from mbs_fmu.model.model import Model
from support.cases import tiers
from support.comparisons import assert_close

pytestmark = pytest.mark.usefixtures("in_plain_python")

PITCH, INERTIA, MASS, G = 0.01, 0.02, 3.0, 9.81


def press(pitch: object = PITCH, ram: str = "z") -> Model:
    """Return a nut that turns in place under a ram that slides along its axis, closed by a thread."""
    m = Model("press", gravity=(0, 0, -G))
    nut = m.body("nut", joint=mbs.Revolute("z"), mass=1.0, inertia=(0.01, 0.01, INERTIA))
    m.body("ram", joint=mbs.Prismatic(ram), mass=MASS)
    m.close("thread", nut, "ram", mbs.Screw("z", pitch))  # type: ignore[arg-type]
    m.output("turning", mbs.reaction("thread").t[2])
    m.output("open", mbs.residual())
    m.start(nut, q=0.0, u=1.0)
    return m


@pytest.mark.parametrize("pitch", [PITCH, -0.3])
def test_a_nut_on_a_thread_follows_the_closed_form(pitch: float) -> None:
    """The ram does not turn, so s = -p phi and (J + m p²) w' = m g p is constant, also over many turns."""
    rate = MASS * G * pitch / (INERTIA + MASS * pitch**2)
    run = mbs.simulate(press(pitch), 3.0, output_interval=1.0, method="rk4", step=0.1)
    w = 1.0 + rate * run.time
    phi = run.time + 0.5 * rate * run.time**2
    for name, exact in (("nut.w", w), ("nut.phi", phi), ("ram.v", -pitch * w), ("ram.s", -pitch * phi)):
        # a polynomial of degree two: rk4 errs by rounding alone, which the projection's tolerance of 1e-10 m exceeds
        assert np.abs(run[name] - exact).max() <= 1e-9 * (1.0 + np.abs(exact).max()), (
            f"{name} at t = {run.time[np.argmax(np.abs(run[name] - exact))]} s"
        )
    assert run["open"].max() < 1e-9
    assert_close(
        run["turning"], -(INERTIA * rate), 1e-9, "turning", times=run.time
    )  # torque of the nut on the ram: the deficit of the nut


def test_assembly_moves_a_screw_to_the_nearest_turn() -> None:
    """A ram with the guess 2.3 leads up is moved to 2 leads, where the thread fits the nut's angle of zero."""
    m = press()
    m.start("ram", q=-2.3 * 2.0 * np.pi * PITCH, guess=True)
    start = mbs.assemble(m)
    assert start["nut.phi"] == 0.0
    assert abs(start["ram.s"] + 4.0 * np.pi * PITCH) < 1e-12


def test_a_screw_with_zero_pitch_is_a_hinge() -> None:
    """A parameter that makes the pitch zero is refused, and so are gears."""
    m = Model("hinge")
    arm = m.body("arm", joint=mbs.Revolute("y"), mass=1.0, com=(0.3, 0, 0), inertia=(0.1, 0.1, 0.1))
    m.close("loop", "world", arm, mbs.Screw("y"))
    assert m.loops["loop"].conditions(0).rows[0].unit == "m"
    assert len(m.loops["loop"].conditions(0).rows) == 5
    assert "advance" not in " ".join(row.label for row in m.loops["loop"].conditions(0).rows)
    m = press()
    m.loops.clear()
    m.close("thread", "nut", "ram", mbs.Screw("z", m.parameter("pitch", PITCH)))
    assert abs(mbs.simulate(m, 0.1, parameters={"pitch": 0.02}, output_interval=0.1)["ram.v"][0] + 0.02) < 1e-12
    with pytest.raises(mbs.ModelError, match="pitch of loop 'thread' must not be zero: change parameter 'pitch', or"):
        mbs.simulate(m, 0.1, parameters={"pitch": 0.0})
    geared = Model("geared")
    for name, x in (("one", 0.0), ("other", 0.1)):
        geared.body(name, joint=mbs.Screw("z", 0.1), mass=1.0, inertia=(0.1, 0.1, 0.1), at=(x, 0, 0))
    with pytest.raises(mbs.ModelError, match="is not a hinge"):
        geared.gear("mesh", "one", "other", teeth=(20, 20))


def screw(axis: object, pitch: float = 0.07) -> object:
    return mbs.Screw(axis, pitch).motions[0]  # type: ignore[arg-type]


SKEW = (0.6, 0.0, 0.8)
COMPOUNDS = {
    "slide, screw": (mbs.slide("x"), screw("z")),
    "screw, slide": (screw("z"), mbs.slide("x")),
    "skew slide, screw": (mbs.slide(SKEW), screw("z", -0.2)),
    "screw, two slides": (screw("z"), mbs.slide("y"), mbs.slide(SKEW)),
    "two slides, screw": (mbs.slide((0, 0.6, 0.8)), mbs.slide(SKEW), screw("z")),
    "screw, turn": (screw("z"), mbs.turn("x")),
    "turn, screw": (mbs.turn("x"), screw("z")),
    "skew turn, screw": (mbs.turn(SKEW), screw("z", -0.2)),
    "screw, skew turn": (screw(SKEW), mbs.turn("z")),
    "screw, turn along it": (screw("z"), mbs.turn("z")),
    "slide along it, screw": (mbs.slide("z"), screw("z")),
    "two screws": (screw("z"), screw((0, 0, -1), -0.2)),
    "slides of its plane": (mbs.slide("x"), mbs.slide(SKEW), screw("z")),
    "turn, slide along it, screw": (mbs.turn("x"), mbs.slide("z"), screw("z")),
}


def joined(motions: tuple[object, ...], loop: bool) -> Model:
    """Return a body on a hinge, and another one behind a joint of these motions, in the tree or
    free and closed by it.
    """
    m = Model("joined")
    arm = m.body("arm", joint=mbs.Revolute("y"), mass=2.0, com=(0.3, 0.1, 0), inertia=(0.1, 0.2, 0.15))
    joint, place = mbs.Compound(*motions), mbs.Pose((0.5, 0.1, -0.2), (np.cos(0.2), np.sin(0.2), 0, 0))  # type: ignore[arg-type]
    if loop:
        end = m.body("end", joint=mbs.Free(), mass=1.0, com=(0.1, 0.2, -0.1), inertia=(0.02, 0.03, 0.04))
        m.close("loop", arm, end, joint, at_a=place)
    else:
        end = m.body("end", arm, joint, 1.0, (0.1, 0.2, -0.1), inertia=(0.02, 0.03, 0.04), at=place)
        count = len(end.joint.coordinates)
        m.start(end, q=[0.3 - 0.2 * k for k in range(count)], u=[1.0 + 0.5 * k for k in range(count)])
    m.start(arm, q=0.3, u=0.7)
    m.output("x", [*mbs.position(end), *mbs.orientation(end)])
    m.output("v", [*mbs.velocity(end), *mbs.angular_velocity(end)])
    return m


@pytest.mark.parametrize("name", tiers(list(COMPOUNDS), usual=2, quick=2))
def test_loops_with_screws_equal_the_joint_in_the_tree(name: str) -> None:
    """A free body closed by the joint moves as the one on the joint in the tree, from a displaced and turned start.

    Steps of twice the size have errors of up to 4e-8 in rates, so these of 1/16; loops are closed to 1e-10 m.
    """
    options = {"method": "rk4", "step": 2.5e-3, "output_interval": 0.05}
    tree = mbs.simulate(joined(COMPOUNDS[name], False), 0.05, **options)  # type: ignore[arg-type]
    m = joined(COMPOUNDS[name], True)
    R = rotation_matrix(tree["x"][0, 3:], "orientation")
    m.start("end", q=tree["x"][0], u=[*(R.T @ tree["v"][0, :3]), *(R.T @ tree["v"][0, 3:])])
    closed = mbs.simulate(m, 0.05, **options)  # type: ignore[arg-type]
    assert_close(closed["arm.w"], tree["arm.w"], 1e-8, "arm.w")
    assert_close(closed["v"], tree["v"], 1e-8, "v")
    assert_close(closed["x"][:, :3], tree["x"][:, :3], 1e-9, "x")
    assert len(m.loops["loop"].conditions(0).rows) == 6 - len(COMPOUNDS[name])


@pytest.mark.parametrize(
    ("motions", "message"),
    [
        ((screw("z"), screw("x")), "a screw is supported as a loop's joint by itself, with slides on one side of it"),
        ((mbs.slide("x"), screw("z"), mbs.slide("y")), "hang a body on this joint in the tree, and close the loop"),
        ((screw("z"), mbs.turn("x"), mbs.turn("y")), "a screw is supported as a loop's joint by itself"),
        ((screw("z"), mbs.turn("x"), mbs.slide("y")), "a screw is supported as a loop's joint by itself"),
        ((screw("z"), mbs.turn("z"), mbs.slide("z")), "three motions along one axis|not independent"),
        ((screw("z"), screw("z"), mbs.slide("x")), "two screws along one axis need different pitches, given"),
        ((mbs.slide("x"), mbs.slide((-1, 0, 0)), screw("z")), "its slides are not independent"),
    ],
)
def test_other_joints_with_screws_are_refused(motions: tuple[object, ...], message: str) -> None:
    """The message names the remedy."""
    with pytest.raises(mbs.ModelError, match=message):
        mbs.simulate(joined(motions, True), 0.1)
