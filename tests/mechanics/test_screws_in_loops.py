"""Screws that close loops: closed forms, many turns, and what has no thread."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.model import Model

pytestmark = pytest.mark.usefixtures("in_plain_python")

PITCH, INERTIA, MASS, G = 0.01, 0.02, 3.0, 9.81


def press(pitch: object = PITCH, ram: str = "z") -> Model:
    """A nut that turns in place under a ram that slides along its axis, closed by a thread."""
    m = Model("press", gravity=(0, 0, -G))
    nut = m.body("nut", joint=mbs.Revolute("z"), mass=1.0, inertia=(0.01, 0.01, INERTIA))
    m.body("ram", joint=mbs.Prismatic(ram), mass=MASS)
    m.close("thread", nut, "ram", mbs.Screw("z", pitch))  # type: ignore[arg-type]
    m.output("turning", mbs.reaction("thread").t[2])
    m.output("open", mbs.residual())
    m.start(nut, q=0.0, u=1.0)
    return m


@pytest.mark.parametrize("pitch", [PITCH, -0.3])
def test_a_nut_runs_down_by_itself(pitch: float) -> None:
    """The ram doesn't turn, so s = -p phi and (J + m p²) w' = m g p: constant, also over many turns."""
    rate = MASS * G * pitch / (INERTIA + MASS * pitch**2)
    run = mbs.simulate(press(pitch), 3.0, output_interval=1.0, method="rk4", step=0.1)
    w = 1.0 + rate * run.time
    phi = run.time + 0.5 * rate * run.time**2
    for name, exact in (("nut.w", w), ("nut.phi", phi), ("ram.v", -pitch * w), ("ram.s", -pitch * phi)):
        # a polynomial of degree two: rk4 errs by rounding alone, which the projection's tolerance of 1e-10 m exceeds
        assert np.abs(run[name] - exact).max() <= 1e-9 * (1.0 + np.abs(exact).max())
    assert run["open"].max() < 1e-9
    assert np.abs(run["turning"] + INERTIA * rate).max() < 1e-9  # of the nut on the ram: what the nut lacks


def test_a_start_goes_to_the_nearest_turn() -> None:
    """A ram that is guessed 2.3 leads up is moved to 2 leads, where the nut's angle of zero has a thread."""
    m = press()
    m.start("ram", q=-2.3 * 2.0 * np.pi * PITCH, guess=True)
    start = mbs.assemble(m)
    assert start["nut.phi"] == 0.0
    assert abs(start["ram.s"] + 4.0 * np.pi * PITCH) < 1e-12


def test_threads_without_pitch() -> None:
    """A pitch of zero is a hinge; refused are a parameter that makes it zero, other motions beside, and gears."""
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
    with pytest.raises(mbs.ModelError, match="a screw beside turns and slides is not known as a loop's joint"):
        m.close("two", "nut", "ram", mbs.Compound(*mbs.Screw("z", 0.1).motions, mbs.slide("x")))
        mbs.simulate(m, 0.1)
    geared = Model("geared")
    for name, x in (("one", 0.0), ("other", 0.1)):
        geared.body(name, joint=mbs.Screw("z", 0.1), mass=1.0, inertia=(0.1, 0.1, 0.1), at=(x, 0, 0))
    with pytest.raises(mbs.ModelError, match="is no hinge"):
        geared.gear("mesh", "one", "other", teeth=(20, 20))
