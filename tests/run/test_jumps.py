"""Samples obey difference equations and resets closed forms, with every method."""

from __future__ import annotations

import math

import numpy as np
import pytest

import mbs_fmu as mbs
from support.comparisons import assert_close
from support.generators.loops import PlainLoops
from support.models.linkages import quadrilateral

pytestmark = pytest.mark.usefixtures("plain_by_default")

METHODS = [
    {"method": "rk4", "step": 0.013},
    {"method": "dopri5"},
    {"method": "gauss4", "step": 0.02},
    {"method": "abm6", "step": 0.01},
]
named = pytest.mark.parametrize("method", METHODS, ids=lambda m: m["method"])


G = 9.81


# -- samples -------------------------------------------------------------------------------------------------


def at_samples(times: np.ndarray, period: float, offset: float) -> np.ndarray:
    """Number of samples before each time; at the time of a sample the result has the value before it."""
    return np.maximum(0, np.ceil((times - offset) / period - 1e-9).astype(int))


@named
@pytest.mark.parametrize("seed", range(3))
def test_samples_are_difference_equations(seed: int, method: dict[str, object]) -> None:
    """x' = A x + B y, y' = C y + d over two clocks: each update uses the values before, also at common samples."""
    rng = np.random.default_rng(seed)
    A, C = (0.9 * np.linalg.qr(rng.normal(size=(3, 3)))[0] for _ in range(2))
    B, d = rng.normal(size=(3, 3)), rng.normal(size=3)
    period, offset = float(rng.uniform(0.01, 0.05)), float(rng.choice([0.0, rng.uniform(0.0, 0.03)]))
    x0, y0 = rng.normal(size=(2, 3))
    m = mbs.Model("lines")
    y = m.sampled(
        "y", 2 * period, lambda y: [y.dot(row) + c for row, c in zip(C, d, strict=True)], start=y0, offset=offset
    )
    m.sampled("x", period, lambda x: [x.dot(a) + y.dot(b) for a, b in zip(A, B, strict=True)], start=x0, offset=offset)
    result = mbs.simulate(m, 1.0, output_interval=0.0037, **method)
    xs, ys = [x0], [y0]
    for k in range(110):
        x, y_now = xs[-1], ys[-1]
        xs.append(A @ x + B @ y_now)
        ys.append(C @ y_now + d if k % 2 == 0 else y_now)
    count = at_samples(result.time, period, offset)
    assert count.max() >= 19
    assert_close(result["x"], np.array(xs)[count], 1e-12 * np.abs(xs).max(), "sampled x", times=result.time)
    assert_close(result["y"], np.array(ys)[count], 1e-12 * np.abs(ys).max(), "sampled y", times=result.time)


@named
def test_a_held_signal_drives_a_state(method: dict[str, object]) -> None:
    """z' = u - z with sampled u = 3 (1 - z) follows the exact map between samples, whatever the steps."""
    m = mbs.Model("loop")
    period, gain = 0.04, 3.0
    held = m.sampled("held", period, gain * (1.0 - mbs.signal("z")))
    m.state("z", lambda z: held - z)
    z, values = 0.0, [0.0]
    for _ in range(25):
        u = gain * (1.0 - z)
        z = u + (z - u) * math.exp(-period)
        values.append(z)
    result = mbs.simulate(m, 1.0, output_interval=period, **method)
    assert_close(result["z"], values, 1e-6 if method["method"] == "dopri5" else 1e-8, "state 'z'", times=result.time)


@named
def test_rows_inside_steps_disturb_no_sample(method: dict[str, object]) -> None:
    """Samples of a moving mechanism have its state at their time, however many rows lie in between."""
    m = mbs.Model("watched", gravity=(0, 0, 0))
    m.body("b", joint=mbs.Spherical(), mass=1.0, inertia=(1.0, 2.0, 2.5))
    m.start("b", u=(0.3, 2.0, 0.4))
    m.sampled("seen", 0.1, list(mbs.angular_velocity("b")), start=[0.0, 0.0, 0.0])
    m.output("w", mbs.angular_velocity("b"))
    few, many = (mbs.simulate(m, 1.05, output_interval=x, **method) for x in (0.35, 0.0025))
    assert_close(few["seen"][-1], many["seen"][-1], 1e-5, "last sample with few rows", "xyz")
    assert many.time[400] == 1.0
    assert_close(many["seen"][-1], many["w"][400], 1e-9, "sample at 1 s", "xyz")


def test_samples_use_inputs_after_their_jump() -> None:
    """A sample at the time of an input jump uses the value after it."""
    m = mbs.Model("stairs")
    u = m.input("u")
    m.sampled("seen", 0.25, u)
    table = ([0.0, 0.5, 0.5, 1.0, 1.0, 2.0], [1.0, 1.0, 3.0, 3.0, -2.0, -2.0])
    for method in METHODS:
        result = mbs.simulate(m, 1.5, inputs={"u": table}, output_interval=0.125, **method)
        assert list(result["seen"]) == [0, 1, 1, 1, 1, 3, 3, 3, 3, -2, -2, -2, -2]


def test_a_delay_of_three_samples() -> None:
    """A sampled vector that shifts its elements delays time by three samples."""
    m = mbs.Model("line")
    late = m.sampled("line", 0.1, lambda x: [mbs.time, x[0], x[1]], start=[0.0, 0.0, 0.0])[2]
    m.output("late", late)
    result = mbs.simulate(m, 2.0, output_interval=0.1)
    assert_close(result["late"][3:], result.time[:-3], 1e-15, "delayed time", times=result.time[3:])


def test_periods_may_be_parameters() -> None:
    """Periods may be parameters, with values of the run."""
    m = mbs.Model("clock")
    period = m.parameter("period", 0.1, unit="s")
    m.sampled("count", period, lambda n: n + 1.0, offset=2 * period)
    assert mbs.simulate(m, 1.05)["count"][-1] == 9.0
    assert mbs.simulate(m, 1.05, parameters={"period": 0.25})["count"][-1] == 3.0
    assert mbs.simulate(m, 1.05, start={"count": 5.0}, start_time=0.95)["count"][-1] == 6.0
    with pytest.raises(mbs.ModelError, match="period of sampled signal 'count' must be positive"):
        mbs.simulate(m, 1.0, parameters={"period": 0.0})


# -- resets --------------------------------------------------------------------------------------------------


def ball(e: float = 0.8, direction: int = -1) -> mbs.Model:
    m = mbs.Model("ball", gravity=(0, 0, -G))
    m.body("ball", joint=mbs.Prismatic("z"), mass=2.0)
    m.start("ball", q=1.0)
    m.state("count", 0.0)
    reset = {"ball.v": -e * mbs.rate("ball"), "count": mbs.signal("count") + 1.0}
    m.event("bounce", mbs.coordinate("ball"), direction=direction, reset=reset)
    return m


def bounces(e: float, count: int) -> np.ndarray:
    t, v = math.sqrt(2.0 / G), math.sqrt(2.0 * G)
    return t + np.concatenate([[0.0], np.cumsum([2.0 * v * e**k / G for k in range(1, count)])])


@pytest.mark.parametrize("direction", [-1, 0])
@pytest.mark.parametrize("interval", [0.01, 3.0])
@named
def test_a_ball_that_is_thrown_back(method: dict[str, object], interval: float, direction: int) -> None:
    """Times of all bounces up to 3 s in closed form, each once, also with steps longer than several flights."""
    wanted = bounces(0.8, 12)
    wanted = wanted[wanted < 3.0]
    result = mbs.simulate(ball(direction=direction), 3.0, output_interval=interval, **method)
    times = result.events["bounce"]
    assert times.size == wanted.size == result["count"][-1]
    assert_close(times, wanted, 1e-11, "time of bounce")


def test_accumulating_events_are_an_error() -> None:
    """Ever shorter flights are an error that names the event and their end (4.0637 s), with the results up to then."""
    end = math.sqrt(2.0 / G) * (1.0 + 2.0 * 0.8 / (1.0 - 0.8))
    for method in METHODS:
        with pytest.raises(mbs.SimulationError, match="event 'bounce' acts without end") as error:
            mbs.simulate(ball(), 5.0, **method)
        time = float(str(error.value).partition("t = ")[2].split()[0])
        assert_close(time, end, 1e-3, f"time of the error, {method}")
        assert error.value.result["ball.s"].min() > -1e-6


def test_one_short_interval_is_no_chatter() -> None:
    """Events that recur after five millionths of a second, but then only after a second, are not chatter."""
    m = mbs.Model("pulses")
    x, odd, n = m.state("x", 1.0), m.state("odd", 0.0), m.state("n", 0.0)
    behind = mbs.where(odd > 0.5, -1.0, 1.0 - 5e-6)
    m.event("pulse", x - 1.0, direction=1, reset={"x": behind, "odd": 1.0 - odd, "n": n + 1.0})
    for method in METHODS:
        result = mbs.simulate(m, 4.0, output_interval=0.5, **method)
        wanted = [1.0, 1.000005, 3.000005, 3.00001]
        assert list(result.events["pulse"]) == pytest.approx(wanted, abs=1e-10) and result["n"][-1] == 4.0


@pytest.mark.usefixtures("jitted")
def test_chatter_is_an_error() -> None:
    """A sawtooth of 1e11 teeth per second is an error that names the event."""
    m = mbs.Model("saw")
    z = m.state("z", 1e8, start=-0.3)
    m.event("tooth", z - 1e-3, direction=1, reset={"z": 0.0})
    for method in METHODS:
        with pytest.raises(mbs.SimulationError, match="event 'tooth' acts without end"):
            mbs.simulate(m, 1.0, **method)


def test_resets_keep_the_order_of_the_method() -> None:
    """For a pendulum that is struck at the bottom rk4 converges with h^4."""

    def pendulum() -> mbs.Model:
        m = mbs.Model("pendulum", gravity=(0, 0, -G))
        m.body("rod", joint=mbs.Revolute("y"), mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
        m.start("rod", q=1.0)
        m.event("strike", mbs.coordinate("rod"), reset={"rod.w": 1.3 * mbs.rate("rod")})
        return m

    ends = [
        mbs.simulate(pendulum(), 2.0, output_interval=2.0, method="rk4", step=2.0 / n)["rod.phi"][-1]
        for n in (50, 100, 200, 1600)
    ]
    errors = np.abs(np.array(ends[:3]) - ends[3])
    assert np.log2(errors[:-1] / errors[1:]).min() > 3.6


def test_resets_of_one_event_are_simultaneous() -> None:
    """Two states are swapped at every second upward crossing."""
    m = mbs.Model("trade")
    m.state("a", 1.0)
    m.state("b", 0.0, start=5.0)
    m.event("full", mbs.signal("a") - 2.0, direction=1, reset={"a": mbs.signal("b") - 5.0, "b": mbs.signal("a") + 1.0})
    result = mbs.simulate(m, 4.0, output_interval=0.5)
    assert result.events["full"] == pytest.approx([2.0], abs=1e-12)
    assert list(result["b"][[3, 5]]) == pytest.approx([5.0, 3.0], abs=1e-12)


def test_a_reset_that_sets_off_another_event() -> None:
    """An expression that jumps over zero at a reset is an event of the same instant."""
    m = mbs.Model("chain")
    a = m.state("a", 1.0)
    b = m.state("b", 0.0, start=-1.0)
    m.state("c", 0.0)
    m.event("first", a - 1.0, direction=1, reset={"b": 1.0})
    m.event("second", b, direction=1, reset={"c": 7.0})
    result = mbs.simulate(m, 2.0, output_interval=0.25)
    assert list(result["c"][[3, 5]]) == [0.0, 7.0]
    assert result.events["second"] == pytest.approx([1.0], abs=1e-6)


def test_closed_loops_pass_through_an_impact() -> None:
    """If a reset changes a four-bar's crank velocity, all velocities change least in the inertia's metric."""

    def model(struck: bool) -> mbs.Model:
        m = quadrilateral(1.0, 3.0, 2.5, 3.2, 0.7, 2.0)
        if struck:
            name = next(iter(m.bodies))
            m.event("blow", mbs.time - 0.5, reset={f"{name}.w": -1.7})
        return m

    exact = {"method": "dop853", "rtol": 1e-12, "output_interval": 0.25}
    before = mbs.simulate(model(False), 0.5, **exact)
    after = mbs.simulate(model(True), 0.5 + 1e-9, **exact)
    assert after.events["blow"] == pytest.approx([0.5], abs=1e-12)
    m = model(False)
    for name, body in m.bodies.items():
        q = [before[f"{name}.{suffix}"][-1] for suffix, _ in body.joint.coordinates]
        m.start(name, q=q, u=[before[f"{name}.{suffix}"][-1] for suffix, _ in body.joint.rates])
    plain = PlainLoops(m)
    M, K = plain.mass_matrix(plain.R), plain.jacobian(plain.R)
    u = plain.get(plain.R, "u").copy()
    u[0] = -1.7
    W = np.linalg.solve(M, K.T)
    wanted = u - W @ np.linalg.lstsq(K @ W, K @ u, rcond=None)[0]
    names = [f"{name}.{suffix}" for name, body in m.bodies.items() for suffix, _ in body.joint.rates]
    assert_close([after[name][-1] for name in names], wanted, 1e-6, "velocity after the blow", names)
    assert np.abs(wanted - plain.get(plain.R, "u")).max() > 0.1


# -- messages ------------------------------------------------------------------------------------------------


def test_wrong_samples_are_refused() -> None:
    """Invalid sampled signals are refused with a message."""
    m = mbs.Model("wrong")
    x = m.input("x")
    for arguments, message in (
        (("s", -0.1, x), "period of sampled signal 's' is -0.1 s: give a positive one"),
        (("s", x, x), "period of sampled signal 's' depends on x: it may depend on parameters only"),
        (("s", 0.1, "x"), "update of sampled signal 's'"),
        (("s", 0.1, x, []), "start of sampled signal 's' has no numbers"),
        (("s", 0.1, [x, x], [0.0, 0.0, 0.0]), "update of sampled signal 's' must be 3 numbers"),
        (("x", 0.1, x), "sampled signal name 'x' is taken by an input"),
    ):
        with pytest.raises(mbs.ModelError, match=message):
            m.sampled(*arguments)
    m.sampled("s", 0.1, mbs.signal("y"))
    with pytest.raises(mbs.ModelError, match="unknown signal 'y'; signals of model 'wrong': x, s"):
        mbs.simulate(m, 1.0, inputs={"x": 0.0})
    with pytest.raises(mbs.ModelError, match="3 is not the name of a signal"):
        mbs.signal(3)  # type: ignore[arg-type]


def test_wrong_resets_are_refused() -> None:
    """Invalid resets are refused with a message."""
    m = quadrilateral(1.0, 3.0, 2.5, 3.2, 0.7, 2.0)
    first = next(iter(m.bodies))
    for options, message in (
        ({"reset": {"other.w": 0.0}}, "reset of event 'e': unknown 'other.w' .did you mean .*; what can be reset"),
        ({"reset": 3}, "reset of event 'e' is 3: give new values by name"),
        ({"reset": {f"{first}.w": "0"}}, f"reset of event 'e', {first}.w"),
        ({"reset": {f"{first}.w": 0.0}, "stop": True}, "event 'e' ends the run, and nothing follows its reset"),
    ):
        with pytest.raises(mbs.ModelError, match=message):
            m.event("e", mbs.time - 1.0, **options)
    m.event("e", mbs.time - 1.0, reset={f"{first}.phi": 0.0})
    with pytest.raises(mbs.ModelError, match="is a coordinate in a closed loop, which would stand open"):
        mbs.simulate(m, 1.0)
    driven = mbs.Model("driven")
    driven.body("b", joint=mbs.Revolute("z"), mass=1.0, inertia=(1, 1, 1))
    driven.drive("d", on="b", position=mbs.time)
    driven.event("e", mbs.time - 1.0, reset={"b.w": 0.0})
    with pytest.raises(mbs.ModelError, match=r"reset of event 'e': a drive or a leader gives 'b\.w': leave it out"):
        mbs.simulate(driven, 2.0)
    sensitive = mbs.Model("felt")
    sensitive.body("b", joint=mbs.Revolute("y"), mass=1.0, com=(0, 0, 1), inertia=(1, 1, 1))
    sensitive.sampled("s", 0.1, mbs.acceleration("b")[0])
    with pytest.raises(mbs.ModelError, match="sampled signal 's': reactions, accelerations"):
        mbs.simulate(sensitive, 1.0)
