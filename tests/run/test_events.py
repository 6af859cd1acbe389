"""Events: zero crossings located by root finding, runs that end on them, and unchanged steps."""

from __future__ import annotations

import fmpy
import fmpy.validation
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import mbs_fmu as mbs
from mbs_fmu.infrastructure.errors import ModelError
from mbs_fmu.integrate.methods.table import METHODS, method
from mbs_fmu.model.model import Model
from support.comparisons import assert_close
from support.hosts.fmus import Host
from support.models.fmu_models import MODELS

pytestmark = pytest.mark.usefixtures("plain_by_default")

USUAL = ("rk4", "dopri5", "abm6")
WAYS = [
    pytest.param(name, options, marks=() if name in USUAL else pytest.mark.slow, id=f"{name} {next(iter(options))}")
    for options, names in (
        ({"step": 0.005}, METHODS),
        ({"rtol": 1e-11, "atol": 1e-11}, [name for name in METHODS if method(name).adaptive]),
    )
    for name in names
]


def allowed(name: str) -> float:
    """Tolerance of a crossing's time: the method's error at omega h = 0.01, and that of cubic interpolation for methods
    without dense output of their own; at most that of the tolerance.
    """
    has_dense = "METHOD_dense" in method(name).parts(loops=False).own
    return max(0.01 ** method(name).order, 1e-10 if has_dense else 1e-9)


def oscillator(watched: bool = True, stop: float | None = None) -> Model:
    """A mass on a spring: x = cos(2 t) / 2."""
    m = Model("oscillator", gravity=(0, 0, 0))
    b = m.body("b", "world", mbs.Prismatic("x"), mass=2.0)
    m.spring("s", on=b, stiffness=8.0)
    m.start(b, q=0.5)
    m.output("E", mbs.energy())
    if watched:
        m.event("zero", mbs.coordinate(b))
        m.event("up", mbs.coordinate(b) - 0.1, direction=1)
        m.event("turn", mbs.rate(b), direction=-1)
    if stop is not None:
        m.event("end", mbs.time - stop, stop=True)
    return m


@pytest.mark.parametrize(("name", "options"), WAYS)
def test_times_of_crossings(name: str, options: dict) -> None:
    """All zeros, upward crossings and upper turning points are detected at their times; the start's zero is none."""
    r = mbs.simulate(oscillator(), 10.0, method=name, output_interval=0.5, **options)
    zeros = (np.arange(6) + 0.5) * np.pi / 2
    ups = np.pi * np.arange(1, 4) - np.arccos(0.2) / 2
    turns = np.pi * np.arange(1, 4)
    for event, wanted in (("zero", zeros), ("up", ups), ("turn", turns)):
        assert r.events[event].shape == wanted.shape, event
        assert_close(r.events[event], wanted, allowed(name), f"time of event '{event}'")
    plain = mbs.simulate(oscillator(watched=False), 10.0, method=name, output_interval=0.5, **options)
    assert_close(r.data, plain.data, 1e-12, "result with events", r.columns, r.time)
    assert plain.events == {}
    assert len(r) == len(plain) and r.statistics["steps"] == plain.statistics["steps"]


@pytest.mark.parametrize(("name", "options"), WAYS)
def test_a_stop_ends_the_run_on_the_event(name: str, options: dict) -> None:
    """The last row is complete and at the event; later events are absent; earlier rows are as without the stop."""
    r = mbs.simulate(oscillator(stop=4.4321), 10.0, method=name, output_interval=0.5, **options)
    assert r.events["end"] == pytest.approx([4.4321], abs=1e-15)
    assert_close(r.time, [*np.arange(9) * 0.5, 4.4321], 1e-14, "time of row")
    assert r["b.s"][-1] == pytest.approx(0.5 * np.cos(2 * 4.4321), abs=allowed(name) * 2)
    # E is the square of the amplitude 0.5, times 4: its relative error is twice that of the coordinate
    assert r["E"][-1] == pytest.approx(1.0, abs=max(1e-6, 2 * (2 * allowed(name)) / 0.5))
    assert all(np.all(times <= 4.4321) for times in r.events.values())
    whole = mbs.simulate(oscillator(), 10.0, method=name, output_interval=0.5, **options)
    assert_close(r.data[:-1], whole.data[:9], 1e-12, "result before the stop", r.columns, r.time)


@pytest.mark.parametrize("name", ["rk4", "dopri5"])
def test_a_stop_on_a_row_is_one_row(name: str) -> None:
    """An event at an output time that is a step end gives one row."""
    options = {"step": 0.01} if name == "rk4" else {"rtol": 1e-8}
    r = mbs.simulate(oscillator(stop=2.0), 10.0, method=name, output_interval=0.5, **options)
    assert r.time.tolist() == [0.0, 0.5, 1.0, 1.5, 2.0]
    last = mbs.simulate(oscillator(stop=2.0), 2.0, method=name, output_interval=0.5, **options)
    assert last.events["end"].tolist() == [2.0] and len(last) == 5


def test_events_change_no_step() -> None:
    """Without rows inside steps all bits are the same with events and without."""
    for name, options in (("rk4", {"step": 0.01}), ("abm6", {"step": 0.01}), ("gauss4", {"step": 0.01})):
        one = mbs.simulate(oscillator(), 3.0, method=name, output_interval=1.5, **options)
        other = mbs.simulate(oscillator(watched=False), 3.0, method=name, output_interval=1.5, **options)
        assert np.array_equal(one.data, other.data)


def test_events_are_located_to_rounding() -> None:
    """An event of time alone has the root finder's accuracy."""
    m = oscillator(watched=False)
    times = [0.123456789, 1.0, np.pi, 7.77777777]
    for k, t in enumerate(times):
        m.event(f"e{k}", mbs.time - t)
    m.event("flat", (mbs.time - 5.0) ** 3)  # a triple zero
    for name, options in (("rk4", {"step": 0.03}), ("dop853", {"rtol": 1e-6})):
        r = mbs.simulate(m, 10.0, method=name, **options)
        for k, t in enumerate(times):
            assert r.events[f"e{k}"] == pytest.approx([t], abs=4e-16 * 10)
        assert r.events["flat"] == pytest.approx([5.0], abs=1e-5)


def test_two_crossings_in_one_long_step() -> None:
    """A zero crossed and recrossed in one step is detected by the check at its middle, where scipy detects none."""
    m = Model("free", gravity=(0, 0, 0))
    b = m.body("b", "world", mbs.Prismatic("x"), mass=1.0)
    m.motor("pull", on=b, force=-1.0)
    m.start(b, q=0.0, u=1.0)
    m.event("high", mbs.coordinate(b) - 0.48)
    r = mbs.simulate(m, 40.0, rtol=1e-6, output_interval=40.0)
    assert r.events["high"] == pytest.approx([0.8, 1.2], abs=1e-9)


@pytest.mark.usefixtures("jitted")
def test_against_scipy() -> None:
    """Crossings of a pendulum with air drag have the times of solve_ivp, both at tight tolerances."""
    m = Model("pendulum")
    b = m.body("b", "world", mbs.Revolute("y"), mass=1.0, com=(0, 0, -1.0), inertia=(0, 0, 0))
    w = mbs.rate(b)
    m.motor("drag", on=b, torque=-0.2 * w * mbs.sqrt(w * w + 1e-6))
    m.start(b, q=2.0)
    m.event("low", mbs.coordinate(b), direction=-1)

    def low(t: float, y: np.ndarray) -> float:
        return float(y[0])

    low.direction = -1  # type: ignore[attr-defined]
    peer = solve_ivp(
        lambda t, y: [y[1], -9.81 * np.sin(y[0]) - 0.2 * y[1] * np.sqrt(y[1] ** 2 + 1e-6)],
        (0, 20), [2.0, 0.0], method="DOP853", rtol=1e-12, atol=1e-12, events=low,
    )  # fmt: skip
    for name in ("dopri5", "dop853", "rodas5p"):
        r = mbs.simulate(m, 20.0, method=name, rtol=1e-11, atol=1e-12)
        assert r.events["low"] == pytest.approx(peer.t_events[0], abs=1e-8)


@pytest.mark.slow
def test_events_of_closed_loops() -> None:
    """Turning points of a four-bar's rocker have the same times with fixed and with controlled steps."""
    turns = []
    m = MODELS["four_bar"]()
    m.event("turn", mbs.rate(list(m.bodies.values())[-1]))
    m.event("high", mbs.position(next(iter(m.bodies.values())), (0.01, 0.02, 0.03))[2])
    inputs = dict.fromkeys(m.inputs, 0.0)
    for options in ({"rtol": 1e-10}, {"method": "rk4", "step": 5e-4}):
        r = mbs.simulate(m, 3.0, inputs=inputs, **options)  # type: ignore[arg-type]
        turns.append(np.concatenate([r.events["turn"], r.events["high"]]))
    assert len(turns[0]) > 0
    for other in turns[1:]:
        assert other == pytest.approx(turns[0], abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
def test_event_indicators_of_native_fmus(fmi: str, tmp_path) -> None:  # type: ignore[no-untyped-def]
    """In model exchange an importer's solver locates the zeros; event expressions are further outputs."""
    path = mbs.export(oscillator(stop=7.0), tmp_path / "o.fmu", "native", fmi=fmi, stop_time=8.0, platforms="host")
    assert fmpy.validation.validate_fmu(str(path)) == []
    options = {"fmi_type": "ModelExchange", "stop_time": 8.0, "output_interval": 0.5, "relative_tolerance": 1e-9}
    r = fmpy.simulate_fmu(str(path), output=["zero", "up", "turn", "end", "E"], **options)
    places = [*(np.arange(6) + 0.5) * np.pi / 2, *np.pi * np.arange(1, 3), *np.pi * np.arange(0.5, 2), 7.0]
    places += [k * np.pi + sign * np.arccos(0.2) / 2 for k in range(3) for sign in (-1, 1)]
    extra = sorted({t for t in r["time"] if abs(2 * t - round(2 * t)) > 1e-9 or abs(t - 7.0) < 1e-9})
    wanted = sorted(t for t in places if 0.0 < t <= 7.0)
    assert r["time"][-1] == pytest.approx(7.0, abs=1e-9)  # event "end" ends the run
    for t in wanted:
        assert min(abs(t - x) for x in extra) < 1e-5, f"no row at the event at {t} s: {extra}"
    assert_close(r["up"], r["zero"] - 0.1, 1e-12, "output 'up'", times=r["time"])
    description = fmpy.read_model_description(str(path))
    assert description.numberOfEventIndicators == 4 if fmi == "2.0" else len(description.eventIndicators) == 4


def swinging() -> Model:
    """x = sin(2 t): starts on a zero, leaves it upwards, falls through 0.5 at 5/12 pi and through 0 at pi/2; the rise
    through 0.5 at pi/12 is not a falling crossing.
    """
    m = Model("swinging", gravity=(0, 0, 0))
    b = m.body("b", "world", mbs.Prismatic("x"), mass=2.0)
    m.spring("s", on=b, stiffness=8.0)
    m.start(b, u=2.0)
    m.output("x", mbs.coordinate(b))
    return m


STOPS = {
    "falling": (lambda x: [(x - 0.5, -1, True)], 5 * np.pi / 12),
    "rising": (lambda x: [(x - 0.5, 1, True)], np.pi / 12),
    "from a zero": (lambda x: [(x, 0, True)], np.pi / 2),
    "one of two": (lambda x: [(x - 0.5, 0, False), (x + 0.5, -1, True)], 7 * np.pi / 12),
    "none stops": (lambda x: [(x - 0.5, 0, False)], 3.0),
    "never": (lambda x: [(x - 1.5, 0, True)], 3.0),
}


@pytest.mark.slow
@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
def test_stopping_events_end_model_exchange(fmi: str, tmp_path) -> None:  # type: ignore[no-untyped-def]
    """The importer must terminate at the event that ends `simulate` and at no other, at the same time to its
    solver's tolerance; with CVode, which locates zeros, and with Euler steps of 1 ms, which only detect a crossing
    afterwards (off by a step and its own error, 3 s of 2 h / 2 rad/s).
    """
    for number, (name, (events, end)) in enumerate(STOPS.items()):
        m = swinging()
        for k, (expression, direction, stop) in enumerate(events(mbs.coordinate("b"))):
            m.event(f"e{k}", expression, direction=direction, stop=stop)
        assert mbs.simulate(m, 3.0, rtol=1e-10).time[-1] == pytest.approx(end, abs=1e-8)
        path = mbs.export(m, tmp_path / f"s{number}.fmu", "native", fmi=fmi, stop_time=3.0, platforms="host")
        options = {"fmi_type": "ModelExchange", "stop_time": 3.0, "output": ["x"]}
        run = fmpy.simulate_fmu(str(path), relative_tolerance=1e-9, output_interval=0.25, **options)
        assert run["time"][-1] == pytest.approx(end, abs=1e-6), name
        run = fmpy.simulate_fmu(str(path), solver="Euler", step_size=1e-3, output_interval=1e-3, **options)
        assert run["time"][-1] == pytest.approx(end, abs=0.02), name


def test_python_fmus_show_events_as_outputs(tmp_path) -> None:  # type: ignore[no-untyped-def]
    """An importer's run does not end on an event; its expression is an output."""
    path = mbs.export(oscillator(stop=0.7), tmp_path / "o.fmu", stop_time=1.0, communication_step=0.1, rtol=1e-8)
    with Host(path) as host:
        host.start()
        host.run(10, 0.1)
        assert host.get("zero")[0] == pytest.approx(0.5 * np.cos(2.0), abs=1e-6)
        assert host.get("end")[0] == pytest.approx(0.3, abs=1e-12)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda m: m.event("e", mbs.time, direction=2), "direction of event 'e' is 2"),
        (lambda m: m.event("e", 1.0), "event 'e' is the constant 1"),
        (lambda m: m.event("E", mbs.time), "event name 'E' is taken by an output"),
        (lambda m: (m.event("e", mbs.time), m.event("e", mbs.time)), "event name 'e' is taken by an event"),
        (lambda m: m.event("two words", mbs.time), "must be an identifier"),
    ],
)
def test_wrong_events_are_refused(make, message: str) -> None:  # type: ignore[no-untyped-def]
    """Invalid events are refused with a message."""
    with pytest.raises(ModelError, match=message):
        make(oscillator(watched=False))


def test_events_are_not_for_batches() -> None:
    """Batches refuse models with events."""
    with pytest.raises(ModelError, match="events such as 'zero' are for single runs"):
        mbs.simulate(oscillator(), 1.0, batch=mbs.Batch(size=2))


def test_events_of_reactions_are_refused() -> None:
    """Events cannot depend on reactions."""
    m = Model("reaction")
    b = m.body("b", "world", mbs.Revolute("y"), mass=1.0, com=(0, 0, -1.0))
    m.event("slack", mbs.reaction(b).f[2])
    with pytest.raises(ModelError, match=r"event 'slack': reactions, .* are for outputs only"):
        mbs.simulate(m, 1.0)
