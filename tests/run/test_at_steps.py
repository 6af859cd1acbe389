"""Events at step ends only (events="steps"): fixed cost, order one."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import mbs_fmu as mbs
from support.comparisons import assert_close
from support.hosts.fmus import Host

native = pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="needs the package ziglang")
KINDS = ["python", pytest.param("native", marks=[native, pytest.mark.slow])]


def belt() -> mbs.Model:
    """A block on a spring, dragged by a belt: it sticks and slips."""
    m = mbs.Model("belt", gravity=(0, 0, 0))
    m.body("belt", joint=mbs.Prismatic("x"), mass=1e9)
    m.body("block", joint=mbs.Prismatic("x"), mass=1.0)
    m.spring("spring", on="block", stiffness=40.0)
    m.friction("rub", on="block", against="belt", force=4.0, static=6.0, stick=True)
    m.start("belt", u=0.5)
    return m


def ball() -> mbs.Model:
    """A ball that comes to rest on the floor."""
    m = mbs.Model("ball")
    m.body("ball", joint=mbs.Prismatic("z"), mass=2.0)
    m.contact("floor", "world", "ball", mbs.OnPlane("z"), restitution=0.6)
    m.start("ball", q=1.0)
    m.output("force", mbs.multiplier("floor"))
    return m


def run(m: mbs.Model, h: float, stop: float, events: str = "steps") -> mbs.Result:
    result: mbs.Result = mbs.simulate(m, stop, method="rk4", step=h, output_interval=4e-3, events=events)  # type: ignore[arg-type]
    return result


@pytest.mark.slow
def test_times_of_changes_are_of_order_one() -> None:
    """A mode change is late by at most its step and the lateness of all changes before it."""
    exact = run(belt(), 1e-3, 4.0, "located").switches
    for h in (4e-3, 1e-3, 2.5e-4):
        switches = run(belt(), h, 4.0).switches
        assert list(switches["after"]) == list(exact["after"]) and len(switches) >= 5
        late, number = switches["time"] - exact["time"], np.arange(1, len(switches) + 1)
        assert_close(late, 0.0, 2.0 * h * number, f"lateness of mode changes with steps of {h} s", times=exact["time"])
    assert_close(late, 0.0, 2e-3, "lateness of mode changes with the shortest steps", times=exact["time"])


def test_sticking_velocities_are_zero(in_plain_python: None) -> None:
    """A sticking block has exactly the belt's velocity."""
    result = run(belt(), 1e-3, 4.0)
    first = result.switches["time"][2]  # it sticks again
    last = result.switches["time"][3]
    inside = (result.time > first) & (result.time <= last)
    slip = (result["block.v"] - result["belt.v"])[inside]
    assert_close(slip, 0.0, 1e-12, "velocity of the block relative to the belt", times=result.time[inside])


@pytest.mark.parametrize("h", [4e-3, 5e-4])
def test_contacts_come_to_rest(h: float) -> None:
    """Penetration never exceeds a step's way, and the ball ends on the floor."""
    result = run(ball(), h, 4.0)
    assert result["ball.s"].min() > -5.0 * h
    assert_close([result["ball.s"][-1], result["ball.v"][-1]], 0.0, 1e-12, "last state", ("ball.s", "ball.v"))
    assert result["force"][-1] == pytest.approx(2.0 * 9.81, rel=1e-12)


def test_the_cost_is_that_of_the_steps() -> None:
    """Each step takes four evaluations, a few more where modes change; located events cost more."""
    steps = 1000
    cheap, dear = (run(ball(), 4e-3, 4.0, events).statistics for events in ("steps", "located"))
    assert cheap["steps"] == steps and cheap["evaluations"] <= 4 * steps + 200
    assert dear["evaluations"] > cheap["evaluations"]


def test_resets_at_steps(in_plain_python: None) -> None:
    """A counter is reset where the next step begins."""
    m = mbs.Model("counter")
    x = m.state("x", 1.0)
    m.event("full", x - 0.0105, direction=1, reset={"x": 0.0})
    result = run(m, 4e-3, 0.04)
    assert list(np.round(result["x"], 12)) == [0.0, *(3 * [0.004, 0.008, 0.012]), 0.004]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_fmus_do_the_same(tmp_path: Path, kind: str) -> None:
    """FMUs give the same results, bit for bit."""
    platforms = "host" if kind == "native" else "all"
    path = mbs.export(ball(), tmp_path / "ball.fmu", kind, method="rk4", step=4e-3, events="steps", platforms=platforms)
    wanted = run(ball(), 4e-3, 2.0)
    with Host(path) as host:
        host.start()
        rows = []
        for time in wanted.time[1:]:
            host.step(time - host.time)
            host.time = time
            rows.append(host.get("ball.s", "ball.v"))
    assert np.array_equal(rows, np.column_stack([wanted["ball.s"], wanted["ball.v"]])[1:])


def test_wrong_arguments() -> None:
    """Unknown values of `events`, and step-end events without a fixed step, are refused."""
    for events, step, message in (("never", 1e-3, "use 'located' or 'steps'"), ("steps", None, "give step=, in s")):
        with pytest.raises(mbs.ModelError, match=message):
            mbs.simulate(ball(), 1.0, events=events, step=step)  # type: ignore[arg-type]
    with pytest.raises(mbs.ModelError, match="give step=, in s"):
        mbs.export(ball(), "ball.fmu", events="steps")
