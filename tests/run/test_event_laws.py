"""The events of a run are those of one with far shorter steps, and each listed reset changes the state."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from support.cases import tiers
from support.comparisons import assert_close
from support.generators.eventful_models import eventful, log_of

pytestmark = pytest.mark.usefixtures("plain_by_default")

H = 0.01
WAYS = [
    {"method": "dopri5", "rtol": 1e-8, "max_step": H},
    {"method": "rk4", "step": H},
    {"method": "abm6", "step": 0.5 * H},
    {"method": "gauss4", "step": H},
]
METHODS = [{"method": "dopri5"}, {"method": "dopri5", "max_step": 1e-2}, *WAYS[1:]]
named = pytest.mark.parametrize("method", METHODS, ids=lambda m: "-".join(str(x) for x in m.values()))


def far_apart(times: np.ndarray, h: float, stop: float) -> float:
    """Time up to which non-simultaneous events are more than a step apart."""
    gaps = np.diff(times)
    close = np.nonzero((gaps > 1e-7) & (gaps < 1.2 * h))[0]
    return float(times[close[0]] - h if close.size else stop - h)


def by_name(result: mbs.Result, end: float) -> dict[str, list[float]]:
    """Times before `end` of all events, by name."""
    times = defaultdict(list)
    for time, name in log_of(result):
        if time < end:
            times[name].append(time)
    return times


def check_log(seed: int, draw: int, way: dict[str, Any], shorter: float) -> None:
    """Assert that the log of a random model is that of steps `factor` times shorter, and that resets match their
    counters.
    """
    model = eventful(seed)
    drawn: dict[str, Any] = model.draw(np.random.default_rng([seed, draw]))
    key = "max_step" if "max_step" in way else "step"
    stop, h = 1.2, way[key]
    coarse, fine = (
        mbs.simulate(model.model, stop, output_interval=0.4, **{**way, key: size}, **drawn) for size in (h, h / shorter)
    )
    for result in (coarse, fine):
        for name in model.counted:
            assert result.events[name].size == result[f"n_{name}"][-1], name
    end = far_apart(np.array([time for time, _ in log_of(fine)]), h, stop)
    coarse_times, wanted = by_name(coarse, end), by_name(fine, end)
    assert {name: len(times) for name, times in coarse_times.items()} == {
        name: len(times) for name, times in wanted.items()
    }
    for name, times in wanted.items():
        # method of order at least four, motions of at most 8 rad/s: (8 h)^4
        assert np.abs(np.array(coarse_times[name]) - times).max() < 4e-5, name


@pytest.mark.parametrize("seed", tiers(range(2), usual=1))
def test_the_log_is_that_of_shorter_steps(seed: int) -> None:
    """With a tenth of the step, in plain Python."""
    check_log(seed, 1, WAYS[seed % 2], 10.0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_logs_of_200_models_are_those_of_hundredths_of_their_steps(seed: int) -> None:
    """The same for 200 random models with a hundredth of the step."""
    for draw in range(20):
        check_log(seed, draw, WAYS[seed % 4], 100.0)


# -- examples of former faults -------------------------------------------------------------------------------------


@named
def test_no_event_after_the_end_of_a_step(method: dict[str, Any]) -> None:
    """A ball above a floor is never below it, wherever the trial steps lead that the floor ends."""
    m = mbs.Model("ball")
    ball = m.body("ball", joint=mbs.Prismatic("z"), mass=1.0)
    m.start(ball, q=0.2)
    m.contact("floor", "world", ball, mbs.OnPlane("z"), restitution=0.8)
    n = m.state("n", 0.0)
    m.event("out", mbs.coordinate(ball) + 1e-3, direction=1, reset={"n": n + 1.0})
    m.event("seen", mbs.coordinate(ball) + 1e-3)
    result = mbs.simulate(m, 1.0, output_interval=0.5, **method)
    assert result["n"][-1] == 0.0 and result.events["out"].size == result.events["seen"].size == 0
    assert len(result.switches) >= 3


def turning(low: float, high: float) -> mbs.Model:
    """A state that falls to `low` and rises to `high`, at one in a second; it starts at 0.1, falling."""
    m = mbs.Model("turning")
    x = m.state("x", mbs.signal("d"), start=0.1)
    m.state("d", 0.0, start=-1.0)
    m.event("falls", x - low, direction=-1, reset={"d": 1.0})
    m.event("rises", x - high, direction=1, reset={"d": -1.0})
    return m


@named
def test_levels_reached_by_trial_steps_only_are_no_events(method: dict[str, Any]) -> None:
    """x turns at 0.05 and never reaches 0.02, although trial steps do."""
    result = mbs.simulate(turning(0.05, 0.02), 0.6, output_interval=0.2, **method)
    assert result["x"][-1] == pytest.approx(0.6, abs=1e-12)
    assert list(result.events["falls"]) == pytest.approx([0.05], abs=1e-12) and result.events["rises"].size == 0


@named
def test_events_that_trigger_each_other_are_refused(method: dict[str, Any]) -> None:
    """Events that trigger each other at once are refused, wherever steps end and however the level is rounded."""
    for level in (0.05, 0.07, 1.0 / 30.0):
        with pytest.raises(mbs.SimulationError, match=r"event '(falls|rises)' acts without end"):
            mbs.simulate(turning(level, level), 0.6, output_interval=0.2, **method)
    apart = mbs.simulate(turning(0.05, 0.06), 0.6, output_interval=0.2, **method)
    assert apart.events["falls"][:2] == pytest.approx([0.05, 0.07], abs=1e-12)


# -- zeros -----------------------------------------------------------------------------------------------------------

SIGNALS = {  # signals that are zero at first, rise after t = 1, and the time when they do
    "table": 1.0, "jump": 1.0, "ramp": 1.0, "state": 1.0, "sampled": 1.0, "stays": None, "leaves": None,
    "leaves slowly": None,
}  # fmt: skip


def signal(m: mbs.Model, name: str) -> tuple[mbs.Expression, dict[str, Any]]:
    """One of `SIGNALS` in a model, with its inputs."""
    tables = {"table": ([0, 1, 2], [0, 0, 1]), "jump": ([0, 1, 1, 2], [0, 0, 1, 1]), "stays": 0.0}
    if name in tables:
        return m.input("command"), {"command": tables[name]}
    if name == "state":
        return m.state("command", mbs.where(mbs.time > 1.0, 1.0, 0.0)), {}
    if name == "sampled":
        return m.sampled("command", 0.25, mbs.where(mbs.time > 0.9, 1.0, 0.0)), {}
    if name == "leaves slowly":
        return m.state("command", m.state("rate", 1.0)), {}
    return mbs.max(mbs.time - 1.0, 0.0) if name == "ramp" else 1.0 * mbs.time, {}


@pytest.mark.parametrize("name", SIGNALS)
def test_leaving_a_zero_is_an_event(name: str) -> None:
    """In the event's direction, with and without resets; not where a run starts on it and leaves it at once."""
    for direction in (-1, 0, 1):
        m = mbs.Model("leaving")
        command, inputs = signal(m, name)
        number = -1.0 * command if direction < 0 else command
        n = m.state("n", 0.0)
        m.event("counted", number, direction=direction, reset={"n": n + 1.0})
        m.event("seen", number, direction=direction)
        m.event("other", -1.0 * number, direction=direction if direction != 0 else 1)
        wanted = [] if SIGNALS[name] is None else [SIGNALS[name]]
        for method in ({"method": "dopri5"}, {"method": "rk4", "step": 0.03}):
            result = mbs.simulate(m, 2.0, inputs=inputs, output_interval=0.5, **method)
            for event in ("counted", "seen"):
                assert list(result.events[event]) == pytest.approx(wanted, abs=1e-9), (direction, method, event)
            assert result["n"][-1] == len(wanted) and result.events["other"].size == 0


def test_a_zero_counts_once() -> None:
    """A signal that rises from -1 to 0, stays there, and goes on or back gives one event."""
    for behind in (1.0, -1.0):
        m = mbs.Model("stairs")
        command = m.input("command")
        n = m.state("n", 0.0)
        m.event("counted", command, direction=1, reset={"n": n + 1.0})
        m.event("seen", command)
        m.event("back", command, direction=-1)
        table = ([0.0, 0.5, 0.5, 1.5, 1.5, 2.0], [-1.0, -1.0, 0.0, 0.0, behind, behind])
        for method in ({"method": "dopri5"}, {"method": "rk4", "step": 0.03}):
            result = mbs.simulate(m, 2.0, inputs={"command": table}, output_interval=0.5, **method)
            for name in ("counted", "seen"):
                assert list(result.events[name]) == pytest.approx([0.5], abs=1e-9)
            assert list(result.events["back"]) == pytest.approx([1.5] if behind < 0.0 else [], abs=1e-9)
            assert result["n"][-1] == 1.0


@pytest.mark.quick
def test_a_zero_left_upwards_is_one_rise() -> None:
    """A number falls to zero, is stopped there by a reset at this instant, and rises later: it rises once, then."""
    m = mbs.Model("lift")
    x = m.state("x", mbs.signal("speed"), start=1.0)
    m.state("speed", 0.0, start=-1.0)
    n = m.state("n", 0.0)
    m.event("stops", mbs.time - 1.0, reset={"speed": 0.0})
    m.event("starts", mbs.time - 2.0, reset={"speed": 1.0})
    m.event("counted", x, direction=1, reset={"n": n + 1.0})
    m.event("seen", x, direction=1)
    result = mbs.simulate(m, 3.0, output_interval=0.5, method="rk4", step=0.3)
    for name in ("counted", "seen"):
        assert list(result.events[name]) == pytest.approx([2.0], abs=1e-9), name
    assert result["n"][-1] == 1.0


@pytest.mark.quick
def test_zeros_close_together_after_a_long_time_without_any_count_apart() -> None:
    """A number of which two zeros are close has an event at each: the direction behind the first one is that at once,
    not that after a share of the time without events.
    """
    m, apart = mbs.Model("parabola"), 1e-4
    x = m.state("x", 1.0)
    n = m.state("n", 0.0)
    m.event("counted", (x - 1.0) * (x - 1.0 - apart), reset={"n": n + 1.0})
    result = mbs.simulate(m, 1.5, output_interval=0.25, method="rk4", step=0.25)
    assert_close(result.events["counted"], [1.0, 1.0 + apart], 1e-9, "time of event 'counted'")
    assert result["n"][-1] == 2.0


def test_jumps_over_zero_are_events() -> None:
    """The speed of a ball crosses zero at each impact, even with steps as long as its flights."""
    m = mbs.Model("ball")
    ball = m.body("ball", joint=mbs.Prismatic("z"), mass=1.0)
    m.start(ball, q=1.0)
    m.contact("floor", "world", ball, mbs.OnPlane("z"), restitution=0.8)
    m.event("up", mbs.rate(ball), direction=1)
    m.event("top", mbs.rate(ball), direction=-1)
    n = m.state("n", 0.0)
    m.event("counted", mbs.rate(ball), direction=1, reset={"n": n + 1.0})
    result = mbs.simulate(m, 2.0, output_interval=2.0)
    blows = result.switches["time"]
    assert len(blows) == 3
    for name in ("up", "counted"):
        assert list(result.events[name]) == pytest.approx(list(blows), abs=1e-12)
    tops = blows[:-1] + 0.5 * np.diff(blows)
    assert list(result.events["top"][:2]) == pytest.approx(list(tops), abs=1e-9)
    assert result["n"][-1] == 3.0


def test_crossings_within_a_flight_are_detected() -> None:
    """A level that a ball crosses twice per flight is detected with error-controlled steps longer than two flights."""
    m = mbs.Model("ball")
    ball = m.body("ball", joint=mbs.Prismatic("z"), mass=1.0)
    m.start(ball, q=0.3)
    m.contact("floor", "world", ball, mbs.OnPlane("z"), restitution=0.7)
    n = m.state("n", 0.0)
    level = mbs.coordinate(ball) - 0.01
    m.event("counted", level, reset={"n": n + 1.0})
    m.event("seen", level)
    v = (2.0 * 9.81 * 0.3) ** 0.5
    heights = [(v * 0.7**k) ** 2 / (2.0 * 9.81) for k in range(1, 20)]
    passages = 1 + 2 * sum(height > 0.01 for height in heights)
    result = mbs.simulate(m, 2.0, output_interval=1.0)
    assert result.events["counted"].size == result.events["seen"].size == result["n"][-1] == passages
    assert_close(result.events["counted"], result.events["seen"], 1e-9, "time of event 'counted'")
