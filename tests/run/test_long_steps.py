"""Fixed steps too long for damping, friction and implicit impacts: warnings, and none for right settings.

Each warning names a fault that the run has, which the test of that fault shows with figures.
"""

from __future__ import annotations

import contextlib
import math
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.run.checks.rests import fastest_rest
from mbs_fmu.run.checks.starts import Start
from mbs_fmu.run.checks.steps import first_records
from mbs_fmu.run.plans import prepared
from support.cases import tiers

pytestmark = pytest.mark.usefixtures("in_plain_python")
G = 9.81
SOFT = mbs.Impedance()  #: of 1 kg: 163 rad/s under its weight, 224 rad/s deeper


def ball(stiffness: Any, dissipation: float, height: float = 0.101, speed: float = 0.0, **law: Any) -> mbs.Model:
    """Return a ball of 1 kg and 0.1 m radius over a floor, with a speed downward."""
    m = mbs.Model("ball")
    m.body("ball", joint=mbs.Free(), mass=1.0, inertia=(0.01,) * 3)
    m.contact("floor", "world", "ball", shape_b=mbs.Sphere(0.1), stiffness=stiffness, dissipation=dissipation, **law)
    m.start("ball", q=(0, 0, height, 1, 0, 0, 0), u=(0, 0, -speed, 0, 0, 0))
    m.output("load", mbs.strength("floor"))
    return m


def block(**law: Any) -> mbs.Model:
    """Return a box of 1 kg at rest on a slope of 20°."""
    angle = math.radians(20.0)
    m = mbs.Model("block", gravity=(G * math.sin(angle), 0, -G * math.cos(angle)))
    m.body("box", joint=mbs.Free(), mass=1.0, inertia=(0.02,) * 3)
    m.contact("slope", "world", "box", shape_b=mbs.Box(0.2, 0.2, 0.1), stiffness=2e4, friction=0.5, **law)
    m.start("box", q=(0, 0, 0.05 - G * math.cos(angle) / 8e4, 1, 0, 0, 0))
    return m


def landing(stiffness: float) -> mbs.Model:
    """Return a box that lands on a floor while it moves along it."""
    m = mbs.Model("landing")
    m.body("box", joint=mbs.Free(), mass=1.0, inertia=(0.01,) * 3)
    m.contact("floor", "world", "box", shape_b=mbs.Box(0.2, 0.2, 0.1), stiffness=stiffness, friction=0.5)
    m.start("box", q=(0, 0, 0.06, 1, 0, 0, 0), u=(1.0, 0, 0, 0, 0, 0))
    return m


@pytest.mark.quick
def test_checks_of_starts_show_that_they_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """They take long in large trees with many contacts, and are made once for a start."""
    shown = []

    def notice(*about: str) -> contextlib.nullcontext[None]:
        shown.append(about)
        return contextlib.nullcontext()

    monkeypatch.setattr("mbs_fmu.run.checks.steps.progress_notice", notice)
    model = ball(1e3, 0.5)
    for _ in range(2):
        mbs.simulate(model, 1e-3, method="rk4", step=1e-3)
    assert shown == [(model.name, "checking contacts and friction at the start")]


def held(torque: float = 2.5, speed: float = 0.0) -> mbs.Model:
    """Return a pendulum of 1 kg at 0.2 m, horizontal, held by friction."""
    m = mbs.Model("held")
    m.body("arm", joint=mbs.Revolute("y"), mass=1.0, com=(0.2, 0, 0), inertia=(1e-3,) * 3)
    m.friction("brake", on="arm", torque=torque)
    m.start("arm", u=speed)
    return m


def run(m: mbs.Model, method: str, step: float | None, steps: int = 1) -> mbs.Result:
    interval = 1e-3 if step is None else step * steps
    return mbs.simulate(m, interval, method=method, step=step, output_interval=interval)


Case = tuple[Callable[[], mbs.Model], str, float | None, str]
HARD = "damper of contact 'floor' is 1[0-9.]* times as strong .* lower stiffness= or dissipation="
TOO_LONG: dict[str, Case] = {
    "fast impact": (lambda: ball(1e6, 1.0, speed=10.0), "rk4", 1e-3, HARD),
    "fall from a height": (lambda: ball(1e6, 1.0, height=5.2), "rk4", 1e-3, HARD),
    "hard damper": (lambda: ball(1e6, 20.0, speed=0.5), "rk4", 1e-3, HARD),
    "damper at rest": (
        lambda: ball(1e4, 100.0, height=0.0991),
        "rk4",
        5e-3,
        "at rest on contact 'floor' .*dissipation=",
    ),
    "impedance at rest": (lambda: ball(SOFT, 100.0, height=0.0997), "rk4", 5e-3, "at rest on contact 'floor' .*diss"),
    "impedance": (lambda: ball(SOFT, 1.0, speed=2.0), "rk4", 1e-2, "oscillates on its stiffness at .* in error"),
    "creep": (lambda: block(creep=1e-3), "rk4", 1e-3, "at rest on contact 'slope' .*or a larger creep="),
    "settling": (lambda: block(settling=0.1), "rk4", 1e-3, "lower grip= or a shorter settling="),
    "pad": (lambda: block(pad=2.0), "rk4", 1e-3, "a smaller pad= or a lower grip="),
    "Rosenbrock": (lambda: landing(1e6), "rodas5p", 1e-3, "oscillates on its stiffness at .* impacts are in error"),
    "multistep": (lambda: ball(1e4, 1.0), "abm6", 3e-3, "impacts are in error"),
    "Hertz": (lambda: ball(3e7, 1.0, exponent=1.5, speed=2.0), "rk4", 1e-3, "impacts are in error"),
    "friction": (held, "rk4", 1e-3, "friction 'brake' slows its joint at .*give a step of at most 0.098 ms"),
    "friction of a moving joint": (lambda: held(speed=1.0), "rk4", 1e-4, "friction 'brake' slows its joint"),
}


@pytest.mark.parametrize("case", tiers({x: x for x in TOO_LONG}, usual=7, quick=4))
def test_steps_that_are_too_long_cause_a_warning(case: str) -> None:
    model, method, step, words = TOO_LONG[case]
    with pytest.warns(UserWarning, match=words):
        run(model(), method, step)


RIGHT: dict[str, tuple[Callable[[], mbs.Model], str, float | None]] = {
    "fast impact": (lambda: ball(9e4, 1.0, speed=10.0), "rk4", 1e-3),
    "slow impact": (lambda: ball(1e6, 1.0, speed=1.0), "rk4", 1e-3),
    "damper at rest": (lambda: ball(1e4, 100.0, height=0.0991), "rk4", 1e-3),
    "impedance": (lambda: ball(SOFT, 50.0, height=0.0997), "rk4", 5e-3),
    "creep": (lambda: block(creep=1e-2), "rk4", 1e-3),
    "settling": (lambda: block(settling=5e-3, pad=0.1), "rk4", 1e-3),
    "at rest, Rosenbrock": (lambda: ball(1e8, 1.0, height=0.1 - G / 1e8), "rodas5p", 1e-2),
    "landing, Rosenbrock": (lambda: landing(2e4), "rodas5p", 1e-3),
    "landing, error control": (lambda: landing(1e6), "rodas5p", None),
    "friction": (held, "rk4", 1e-4),
    "friction, Rosenbrock": (held, "rodas5p", 1e-2),
}


@pytest.mark.parametrize("case", tiers({x: x for x in RIGHT}, usual=5, quick=2))
def test_right_steps_cause_none(case: str) -> None:
    model, method, step = RIGHT[case]
    run(model(), method, step)


def test_warning_of_a_held_joint_names_the_step_that_holds() -> None:
    """With 1 ms friction lets the arm slip at more than ten times the speed than with the advised step or less."""
    slipped = []
    for step in (1e-3, 9e-5):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore" if step == 1e-3 else "error")
            slipped.append(
                abs(mbs.simulate(held(), 0.05, method="rk4", step=step, output_interval=0.05)["arm.phi"][-1])
            )
    assert slipped[0] > 10.0 * slipped[1] > 0.0


def test_load_vanishes_with_the_step_that_is_warned_of() -> None:
    """A ball at rest loses contact if the damper is unstable, and bears its weight with the advised step."""
    loads = []
    for step in (5e-3, 2e-3):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore" if step == 5e-3 else "error")
            m = ball(1e4, 100.0, height=0.0991)
            loads.append(mbs.simulate(m, 0.4, method="rk4", step=step, output_interval=0.1)["load"])
    assert (loads[0][1:] < 0.5 * G).any() and np.allclose(loads[1][2:], G, rtol=0.02)


@pytest.mark.parametrize("stiffness", (1e5, 1e6))
def test_landings_that_a_rosenbrock_method_would_throw_out_are_refused(
    stiffness: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message names the contact, the step and the remedies. The refused run ends high above the floor.

    With the advised step the ball loses energy, as it should, and error control has no limit.
    """
    from mbs_fmu.run.checks import steps

    m, h = mbs.Model("landing"), 8.7 / math.sqrt(stiffness)
    m.body("ball", joint=mbs.Prismatic("z"), mass=1.0)
    m.contact("floor", "world", "ball", shape_b=mbs.Sphere(0.1), stiffness=stiffness, dissipation=1.0)
    m.start("ball", q=0.101, u=-0.5)
    m.output("height", mbs.position("ball")[2])
    with pytest.raises(mbs.ModelError, match=r"contact 'floor' oscillates .* or error control, without step=") as error:
        mbs.simulate(m, 0.2, method="rodas5p", step=h, output_interval=0.1)
    assert str(error.value).startswith(f"step is {h} s, but ")
    (advised,) = re.findall(r"at most ([0-9.]+) ms", str(error.value))
    for step in (1e-3 * float(advised), None):
        assert mbs.simulate(m, 0.06, method="rodas5p", step=step, output_interval=5e-3)["height"].max() < 0.111
    monkeypatch.setattr(steps, "too_long", lambda *about: None)
    assert mbs.simulate(m, 0.3, method="rodas5p", step=h, output_interval=0.3)["height"][-1] > 0.2


def dropped(dissipation: float) -> mbs.Model:
    """A damped ball that lands at some 3 m/s."""
    m = mbs.Model("dropped")
    m.body("ball", joint=mbs.Prismatic("z"), mass=1.0)
    m.contact("floor", "world", "ball", shape_b=mbs.Sphere(0.1), stiffness=1e4, dissipation=dissipation)
    m.start("ball", q=0.6)
    return m


@pytest.mark.parametrize("dissipation", [1.0, 3.0])
def test_rosenbrock_steps_throw_no_damped_ball_out(dissipation: float) -> None:
    """A step that is refused because of the damper; with the longest that is accepted a ball rebounds more slowly."""
    limit = 0.018 / np.sqrt(dissipation * np.sqrt(2.0 * G * 0.5))  # h times √(k/m) times √(d v) is 1.8
    m = dropped(dissipation)
    with pytest.raises(mbs.ModelError, match=r"the damper of contact 'floor' is .* throw the body out"):
        mbs.simulate(m, 0.5, method="rodas5p", step=1.02 * limit, output_interval=0.1)
    step = 0.9 * limit
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for phase in np.linspace(0.0, 1.0, 9):
            start = 0.6 + phase * step * 3.13
            result = mbs.simulate(
                m, 0.6, method="rodas5p", step=step, output_interval=step, start={"ball.s": start}
            )  # fmt: skip
            assert result["ball.v"].max() < np.sqrt(2.0 * G * (start - 0.1)), phase


def test_bodies_at_rest_limit_no_step_of_a_rosenbrock_method() -> None:
    """A ball that rests on its spring stays there with a step 100 times as long as explicit methods may take."""
    m = ball(1e8, 1.0, height=0.1 - G / 1e8)
    result = mbs.simulate(m, 1.0, method="rodas5p", step=2.8e-2, output_interval=0.1)
    assert np.allclose(result["load"], G, rtol=1e-6)


def test_findings_are_kept_with_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other settings of a run check nothing again; other starts only depths and speeds, other parameters everything."""
    from mbs_fmu.run.checks import steps

    calls = {"_find": 0, "_limits": 0}
    for name in calls:
        own = getattr(steps, name)

        def counted(*args: Any, name: str = name, own: Any = own) -> Any:
            calls[name] += 1
            return own(*args)

        monkeypatch.setattr(steps, name, counted)
    m = ball(1e4, 1.0)
    m.output("double", 2.0 * m.parameter("gain", 1.0))
    for step in (1e-3, 5e-4, 2.5e-4):
        mbs.simulate(m, 1e-3, method="rk4", step=step, output_interval=1e-3)
    mbs.simulate(m, 1e-3, output_interval=1e-3, rtol=1e-4)
    assert calls == {"_find": 1, "_limits": 1}
    mbs.simulate(m, 1e-3, method="rk4", step=1e-3, output_interval=1e-3, start={"ball.q[3]": 0.2})
    assert calls == {"_find": 2, "_limits": 1}
    mbs.simulate(m, 1e-3, method="rk4", step=1e-3, output_interval=1e-3, parameters={"gain": 2.0})
    assert calls == {"_find": 3, "_limits": 2}
    for _ in range(2):  # what was found is still known when settings alternate
        for start in ({}, {"ball.q[3]": 0.2}):
            for how in ({"method": "rk4", "step": 1e-3}, {"rtol": 1e-4}):
                mbs.simulate(m, 1e-3, output_interval=1e-3, start=start, **how)
    assert calls == {"_find": 3, "_limits": 2}
    for height in (0.21, 0.22, 0.21, 0.22):
        m.start("ball", q=(0, 0, height, 1, 0, 0, 0))
        mbs.simulate(m, 1e-3, method="rk4", step=1e-3, output_interval=1e-3)
    assert calls == {"_find": 5, "_limits": 2}
    with pytest.warns(UserWarning, match="damper"):
        mbs.simulate(m, 5e-3, method="rk4", step=5e-3, output_interval=5e-3, start={"ball.u[3]": -40.0})


def test_changes_of_a_model_are_found() -> None:
    """A step that was long enough is refused after each change of what the check depends on, and accepted again."""
    m = ball(1e4, 1.0)
    m.input("push", start=0.0)
    stiffness = m.parameter("k", 1e4)
    m.contact("second", "world", "ball", shape_b=mbs.Sphere(0.1), stiffness=stiffness)
    short: dict[str, Any] = {"stop_time": 1e-3, "method": "rk4", "step": 1e-3, "output_interval": 1e-3}
    for _ in range(2):
        mbs.simulate(m, **short)
        with pytest.raises(mbs.ModelError, match="add energy at each impact"):
            mbs.simulate(m, **short, parameters={"k": 1e8})
        m.set_parameter("k", 1e8)
        with pytest.raises(mbs.ModelError, match="add energy at each impact"):
            mbs.simulate(m, **short)
        mbs.simulate(m, **short, parameters={"k": 1e4})
        with pytest.raises(mbs.ModelError, match="starts 50 mm inside"):
            mbs.simulate(m, **short, parameters={"k": 1e4}, start={"ball.q[3]": 0.05})
        m.set_parameter("k", 1e4)
    mbs.simulate(m, **short)
    m.contact("third", "world", "ball", shape_b=mbs.Sphere(0.1), stiffness=1e8)
    with pytest.raises(mbs.ModelError, match="add energy at each impact"):
        mbs.simulate(m, **short)


def train(seed: int) -> tuple[mbs.Model, float]:
    """Return blocks and wheels in a row, joined by vertical hinges, that stick to a floor without dissipation.

    The number is the settling time of their bristles, s.
    """
    rng = np.random.default_rng(seed)
    m = mbs.Model("train")
    law = {"stiffness": 1e4, "grip": 1e4 * rng.random(), "settling": 0.01 * rng.random()}
    law |= {"pad": 0.05 * rng.random()} if seed % 2 else {}
    shapes = {}
    for k in range(4):
        joint, parent = (mbs.Revolute("z"), f"b{k - 1}") if k else (mbs.Free(), "world")
        m.body(f"b{k}", parent, joint, mass=0.2 + rng.random(), inertia=(0.02, 0.03, 0.025), at=(0.3 * (k > 0), 0, 0))
        shapes[f"b{k}"] = mbs.Box(0.1, 0.1, 0.1) if rng.random() < 0.5 else mbs.Capsule(0.05, 0.1, "y")
    m.ground("floor", shapes, dissipation=0.0, friction=0.5, **law)
    m.start("b0", q=(0, 0, 0.05 - 1e-4, 1, 0, 0, 0))
    return m, law["settling"]


@pytest.mark.parametrize("seed", tiers(range(6), usual=2, quick=1))
def test_rest_is_as_fast_as_the_linear_model(seed: int) -> None:
    """The rate of a tree at rest on all its points is the largest eigenvalue of its linear model.

    The linear model also has the free bristles of the points that do not touch. Its points lie in the middle of the
    overlap: rates differ by the depth, 1e-4 m, over the size of the shapes.
    """
    m, settling = train(seed)
    rates = np.linalg.eigvals(mbs.linearize(m).A)
    held = rates[np.abs(rates * settling + 1.0) > 1e-9]
    assert rate_at_rest(m) == pytest.approx(np.abs(held).max(), rel=2e-3)


def rate_at_rest(m: mbs.Model) -> float:
    runtime, spec = prepared(m, 1.0, method="rk4", step=1e-4)
    R = first_records(runtime, spec)[0]
    runtime.initialize(R, 1e-10, 1e-12)
    runtime.refresh(R)
    rest = fastest_rest(Start(m, runtime, R))
    assert rest is not None
    return rest.rate


def test_resistance_to_rolling_counts_at_rest() -> None:
    """A ball that resists rolling is faster than one that does not; both as in the linear model, to the depth."""
    rates = []
    for law in ({}, {"roll": 1e-3}):
        m = ball(1e4, 0.0, height=0.1 - 1e-4, friction=0.5, grip=2e4, **law)
        rates.append(rate_at_rest(m))
        assert rates[-1] == pytest.approx(np.abs(np.linalg.eigvals(mbs.linearize(m).A)).max(), rel=2e-3)
    assert rates[1] > 1.1 * rates[0]
