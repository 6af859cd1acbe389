"""Starts of compliant contacts: depths that are refused, and steps that are too long for the stiffness."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.run.checks.starts import Start
from mbs_fmu.run.checks.steps import first_records
from mbs_fmu.run.plans import prepared
from support.cases import some_quick

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("in_plain_python")]
G = 9.81


def box(height: float, stiffness: float = 2e4) -> mbs.Model:
    """Return a box of 1 kg, 0.1 m high, that starts with its centre at a height (m) over the floor."""
    m = mbs.Model("box")
    m.body("box", joint=mbs.Free(), mass=1.0, inertia=(0.01, 0.01, 0.01))
    m.contact("floor", "world", "box", shape_b=mbs.Box(0.2, 0.2, 0.1), stiffness=stiffness, friction=0.5)
    m.start("box", q=(0, 0, height, 1, 0, 0, 0))
    return m


def run(m: mbs.Model, step: float | None = 1e-3, **more: Any) -> None:
    mbs.simulate(m, 2e-3, method="dopri5" if step is None else "rk4", step=step, output_interval=1e-3, **more)


# -- depth ---------------------------------------------------------------------------------------------------
def test_start_deep_inside_is_refused() -> None:
    """By methods with error control too; the message has the depth and the remedy."""
    sentence = "contact 'floor': 'box' starts 31 mm inside of 'world', more than a tenth of its size, 100 mm"
    for step in (1e-3, None):
        with pytest.raises(mbs.ModelError, match=sentence):
            run(box(0.019), step)
    with pytest.raises(mbs.ModelError, match=r"starts 40 mm inside .* at the depth of its rest"):
        run(box(0.06), start={"box.q[3]": 0.01})


@pytest.mark.parametrize("height", [0.06, 0.05, 0.05 - G / 8e4, 0.0401])
def test_usual_starts_are_accepted(height: float) -> None:
    """In the air, touching, at rest, and just above a tenth of the box's height."""
    run(box(height))


def test_depth_is_that_of_the_smaller_shape() -> None:
    """A ball of 1 cm in a floor or in a box of 1 m; a leg's points have the extent of all of them."""
    for surface in (mbs.Plane("z", at=(0, 0, 0.5)), mbs.Box(1, 1, 1)):
        for depth, refused in ((0.9e-3, False), (1.1e-3, True)):
            m = mbs.Model("small")
            m.body("ball", joint=mbs.Free(), mass=0.01, inertia=(1e-7,) * 3)
            m.contact("in", "world", "ball", shape_a=surface, shape_b=mbs.Sphere(5e-3), stiffness=100.0)
            m.start("ball", q=(0, 0, 0.505 - depth, 1, 0, 0, 0))
            if refused:
                with pytest.raises(mbs.ModelError, match=r"1\.1 mm inside of 'world', more than .* 10 mm"):
                    run(m)
            else:
                run(m)
    m = mbs.Model("foot")
    m.body("foot", joint=mbs.Free(), mass=1.0, inertia=(1e-2,) * 3)
    m.contact("sole", "world", "foot", shape_b=[(0, 0, 0), (0.2, 0, 0), (0.2, 0.1, 0)], stiffness=1e4)
    m.start("foot", q=(0, 0, -0.011, 1, 0, 0, 0))
    with pytest.raises(mbs.ModelError, match=r"11 mm inside .* 100 mm"):
        run(m)


def test_batch_warns_of_a_deep_member() -> None:
    heights = np.array([0.06, 0.05, 0.01])
    with pytest.warns(UserWarning, match="member 2: contact 'floor': 'box' starts 40 mm inside"):
        run(box(0.06), batch=mbs.Batch(start={"box.q[3]": heights}))


# -- mass ----------------------------------------------------------------------------------------------------
def felt(m: mbs.Model) -> np.ndarray:
    """Return the mass that each contact point feels, kg, of contacts with the stiffness 1e4 N/m."""
    runtime, spec = prepared(m, 1.0, method="rk4", step=1e-5)
    R = first_records(runtime, spec)[0]
    runtime.initialize(R, 1e-10, 1e-12)
    runtime.refresh(R)
    return np.asarray(1.0 / Start(m, runtime, R).mobilities)


@pytest.mark.parametrize("seed", some_quick(range(3), 1, usual=1))
def test_mass_that_a_contact_feels(seed: int) -> None:
    """It is 1/(n J M⁻¹ Jᵀ n), with the Jacobian of the point and the mass matrix of the model.

    The differences of depths err by their step, 1e-6, times a curvature, here some 1/0.1 m.
    """
    rng = np.random.default_rng(seed)
    m = mbs.Model("chain")
    joints = [mbs.Free(), mbs.Universal(), mbs.Revolute("y"), mbs.Prismatic("x")]
    points = []
    for k, joint in enumerate(joints):
        parent = "world" if k == 0 else f"b{k - 1}"
        m.body(
            f"b{k}", parent, joint, mass=0.5 + rng.random(), inertia=(0.02, 0.03, 0.025), at=0.3 * rng.normal(size=3)
        )
        points.append(0.2 * rng.normal(size=3))
        m.contact(f"c{k}", "world", f"b{k}", shape_b=tuple(points[-1]), shape_a=mbs.Plane(at=(0, 0, -9)), stiffness=1e4)
    m.start("b0", q=(0, 0, 0, *rng.normal(size=4)), u=rng.normal(size=6))
    m.start("b2", q=0.7)
    M = mbs.mass_matrix(m).matrix
    for k, mass in enumerate(felt(m)):
        row = mbs.jacobian(m, f"b{k}", point=points[k]).matrix[2]
        assert mass == pytest.approx(1.0 / (row @ np.linalg.solve(M, row)), rel=1e-4), f"body b{k}"


def test_mass_of_closed_loops_is_that_of_their_motion() -> None:
    """A parallelogram turns with one freedom: its coupler moves on a circle, all three bodies with it."""
    m = mbs.Model("parallelogram")
    m.body("a", joint=mbs.Revolute("y"), mass=1.0, com=(0, 0, -0.2), inertia=(0.01,) * 3)
    m.body("b", "a", mbs.Revolute("y"), mass=2.0, com=(0.2, 0, 0), inertia=(0.01,) * 3, at=(0, 0, -0.4))
    m.body("c", "b", mbs.Revolute("y"), mass=1.0, com=(0, 0, 0.2), inertia=(0.01,) * 3, at=(0.4, 0, 0))
    m.close("end", "world", "c", mbs.Revolute("y"), at_a=(0.4, 0, 0), at_b=(0, 0, 0.4))
    m.contact("wall", "world", "b", shape_a=mbs.Plane("-x", at=(9, 0, 0)), stiffness=1e4)
    inertia = 2 * (0.01 + 0.04) + 2.0 * 0.16
    assert felt(m)[0] == pytest.approx(inertia / 0.16, rel=1e-6)


# -- steps ---------------------------------------------------------------------------------------------------
def ball(share: float) -> tuple[mbs.Model, float]:
    """Return a ball of 0.5 kg over the floor, and a step of a share of 1/sqrt(k/m)."""
    m = mbs.Model("ball")
    m.body("ball", joint=mbs.Free(), mass=0.5, inertia=(2e-3,) * 3)
    m.contact("floor", "world", "ball", shape_b=mbs.Sphere(0.1), stiffness=1e5)
    m.start("ball", q=(0, 0, 0.11, 1, 0, 0, 0))
    return m, share * math.sqrt(0.5 / 1e5)


def test_steps_that_are_too_long_are_refused() -> None:
    m, step = ball(2.85)
    remedy = f"give a step of at most {1e3 * 0.3 * math.sqrt(0.5 / 1e5):.2g} ms, or a lower stiffness="
    with pytest.raises(mbs.ArgumentError, match=rf"step is .*contact 'floor'.* 447 rad/s.*add energy.*{remedy}"):
        run(m, step)


def test_export_refuses_steps_that_are_too_long(tmp_path: Path) -> None:
    m, step = ball(2.85)
    with pytest.raises(mbs.ArgumentError, match="fixed steps of method 'rk4' add energy at each impact"):
        mbs.export(m, tmp_path / "ball.fmu", method="rk4", step=step, stop_time=10 * step)


def test_steps_with_which_impacts_err_cause_a_warning() -> None:
    m, step = ball(1.25)
    with pytest.warns(UserWarning, match="model 'ball': .* are too long for it: impacts are in error"):
        run(m, step)


def test_no_false_alarms() -> None:
    """Short steps, error control, implicit methods at rest, a heavy body on a stiff point, and a stiff point on a light
    foot of a heavy leg: the mass along the leg counts."""
    m, step = ball(1.15)
    run(m, step)
    run(ball(9.0)[0], None)
    m, step = ball(9.0)
    m.start("ball", q=(0, 0, 0.1 - 0.5 * G / 1e5, 1, 0, 0, 0))
    mbs.simulate(m, 2 * step, method="rodas5p", step=step, output_interval=step)
    m = mbs.Model("leg")
    m.body("trunk", joint=mbs.Prismatic("z"), mass=10.0)
    m.body("foot", "trunk", mbs.Revolute("y"), mass=0.01, inertia=(1e-6,) * 3)
    m.contact("floor", "world", "foot", shape_b=(0, 0, -0.1), stiffness=1e5)
    m.start("trunk", q=0.2)
    run(m, 1e-3)


def test_energy_that_long_steps_add() -> None:
    """The reason for both limits: without dissipation a ball keeps its speed with short steps, and gains with others.

    Steps of 0.3/sqrt(k/m) err by 1 %; the fault at the limit of accuracy is some 5 %, at that of stability a factor.
    """
    gains = []
    for share, steps in ((0.3, 80), (1.19, 40), (2.79, 40)):
        highest = 0.0
        for phase in np.linspace(0.0, 1.0, 7)[:-1]:
            m = mbs.Model("bounce", gravity=(0, 0, 0))
            m.body("ball", joint=mbs.Prismatic("z"), mass=0.5)
            m.contact("floor", "world", "ball", stiffness=1e5, dissipation=0.0)
            step = share * math.sqrt(0.5 / 1e5)
            m.start("ball", q=(1.0 + phase) * step, u=-1.0)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = mbs.simulate(m, steps * step, method="rk4", step=step, output_interval=step)
            highest = max(highest, float(result[f"ball.{m.bodies['ball'].joint.rates[0][0]}"][-1]))
        gains.append(highest - 1.0)
    assert abs(gains[0]) < 0.01 and 0.02 < gains[1] < 0.08 and gains[2] > 0.5, gains
