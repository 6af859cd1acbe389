"""A fixed step takes limits from its own side where an input or a condition on time jumps at one of its ends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.kernels.library import interpolate_beside, slope_beside
from support.cases import Case, tiers
from support.comparisons import assert_close
from support.generators.trees import add_forces, moving_tree
from support.hosts.python_slaves import Slaves, reference, start
from support.models.linkages import quadrilateral

pytestmark = pytest.mark.usefixtures("plain_by_default")

METHODS = (
    "rk4", "dopri5", "tsit5", "dop853", "rodas5p", "ros34pw2", "abm6", "gauss2", "gauss4", "gauss6",
)  # fmt: skip
ONE_STEP = METHODS[:4]  #: those of lanes, sensitivities and rollouts


class Pieces:
    """A piecewise linear function with jumps at some ends of `count` steps of size h from `begin`, none at the start.

    The time of a jump is a sum, the end of a step a product: they may differ by rounding.
    """

    def __init__(self, seed: int):
        rng = np.random.default_rng([43, seed])
        self.begin, self.h = float(rng.choice([0.0, rng.normal(), 50.0])), float(rng.uniform(0.01, 0.2))
        self.count = int(rng.integers(4, 16))
        ends = sorted(rng.choice(np.arange(1, self.count), int(rng.integers(1, self.count)), replace=False).tolist())
        sums = self.begin + np.cumsum(np.full(self.count, self.h))
        self.times = np.array([self.begin, *(sums[k - 1] for k in ends), self.stop])
        self.ends = rng.normal(size=(len(ends) + 1, 2))  #: values at both ends of each piece
        if rng.random() < 0.5:
            self.ends[:, 1] = self.ends[:, 0]

    @property
    def stop(self) -> float:
        return self.begin + self.count * self.h

    @property
    def table(self) -> tuple[np.ndarray, np.ndarray]:
        """Times and values of an input."""
        return np.repeat(self.times, 2)[1:-1], self.ends.reshape(-1)

    def function(self, t: mbs.Expression) -> mbs.Expression:
        """Function of time, by conditions on time."""
        lines = [a + (b - a) / (d - c) * (t - c) for (a, b), c, d in zip(self.ends, self.times, self.times[1:])]
        total = lines[-1]
        for line, time in zip(lines[-2::-1], self.times[-2:0:-1]):
            total = mbs.where(t < float(time), line, total)
        return total

    @property
    def integral(self) -> float:
        return float(np.sum(self.ends.mean(axis=1) * np.diff(self.times)))


def integrator() -> mbs.Model:
    """Signal x with x' = u."""
    m = mbs.Model("integrator")
    m.state("x", m.input("u"))
    return m


def check_integral(seed: int, method: str, **options: Any) -> None:
    """Assert that x at the end is the integral of u, to the rounding of some hundred additions."""
    pieces = Pieces(seed)
    u = pieces.function if options.pop("by_function", False) else pieces.table
    settings = {"method": method, "step": pieces.h, "output_interval": pieces.stop - pieces.begin, **options}
    result = mbs.simulate(integrator(), pieces.stop, start_time=pieces.begin, inputs={"u": u}, **settings)
    # the steps' ends and the jumps are apart by the rounding of times of up to 50 s
    assert_close(result["x"][-1], pieces.integral, 1e-12, f"integral of the input, {method}")


@pytest.mark.parametrize("method", tiers({x: x for x in METHODS}, usual=5, quick=2))
def test_integrals_of_jumping_inputs(method: str) -> None:
    """All methods integrate tables and functions of time with any number of jumps at step ends exactly."""
    for seed in range(3):
        check_integral(seed, method)
    check_integral(3, method, by_function=True)


@pytest.mark.slow
@pytest.mark.usefixtures("in_plain_python")
@pytest.mark.parametrize("method", METHODS)
def test_integrals_of_200_jumping_inputs(method: str) -> None:
    """The same of 200 random inputs."""
    for seed in range(4, 24):
        check_integral(seed, method, by_function=seed % 4 == 0)
        rows = Pieces(seed)
        check_integral(seed, method, output_interval=2.0 * rows.h)


@pytest.mark.quick
def test_limits_of_tables() -> None:
    """A table and its slope have, within `side` of a jump, the limit of that side; elsewhere `side` changes nothing."""
    A = np.array([0.0, 1.0, 1.0, 3.0, 3.0, 0.0, 2.0, 5.0, 7.0, -1.0])
    for x in (1.0 - 1e-12, 1.0, 1.0 + 1e-12):
        limits = [interpolate_beside(A, 0, 5, x, side) for side in (1e-9, -1e-9)]
        assert_close(limits, [5.0, 2.0], 2.1e-12, f"limits at {x}")
        assert slope_beside(A, 0, 5, x, 1e-9) == 1.0 and slope_beside(A, 0, 5, x, -1e-9) == 2.0
    for x in (3.0 - 1e-12, 3.0, 3.0 + 1e-12):
        limits = [interpolate_beside(A, 0, 5, x, side) for side in (1e-9, -1e-9)]
        assert_close(limits, [-1.0, 7.0], 2.1e-12, f"limits at {x}")
        assert slope_beside(A, 0, 5, x, 1e-9) == 0.0 and slope_beside(A, 0, 5, x, -1e-9) == 1.0
    for side in (-1e-9, 0.0, 1e-9):
        assert [interpolate_beside(A, 0, 5, x, side) for x in (-1.0, 0.25, 2.0, 4.0)] == [0.0, 0.5, 6.0, -1.0]
        assert interpolate_beside(np.array([0.0, 4.0]), 0, 1, 0.0, side) == 4.0
    tiny = 2.0**-30  # exact in these sums; a jump at the larger of x and x + side counts, one at the smaller does not
    assert [interpolate_beside(A, 0, 5, 1.0 + k * tiny, -k * tiny) for k in (-1, 1)] == [5.0, 5.0 + tiny]
    assert [slope_beside(A, 0, 5, 1.0 + k * tiny, -k * tiny) for k in (-1, 1)] == [1.0, 1.0]


# -- mechanisms ----------------------------------------------------------------------------------------------


def check_pieces(m: mbs.Model, name: str, method: str, seed: int) -> None:
    """Assert that a run through a jump is the run up to it, continued from there with the values behind it."""
    rng = np.random.default_rng(seed)
    h, before, behind = 0.004, 5, 4
    time, stop = before * h, (before + behind) * h
    values = rng.normal(size=4)
    motions = [(f"{name}.", body.joint) for name, body in m.bodies.items()]
    states = [prefix + x for prefix, joint in motions for x, _ in (*joint.coordinates, *joint.rates)] + list(m.states)
    options: dict[str, Any] = {"method": method, "step": h, "output_interval": h}
    table = ([0.0, time, time, stop], values)
    whole = mbs.simulate(m, stop, inputs={name: table}, **options)
    first = mbs.simulate(m, time, inputs={name: (table[0][:2], values[:2])}, **options)
    begin = {x: float(first[x][-1]) for x in states}
    second = mbs.simulate(
        m, stop, start_time=time, start=begin, inputs={name: (table[0][2:], values[2:])}, **options
    )  # fmt: skip
    for x in begin:
        size = 1.0 + np.abs(whole[x]).max()
        # momenta are computed from velocities where the second run begins: eps times their condition, below 1e4
        assert_close(whole[x][-1], second[x][-1], 1e-11 * size, f"{x} behind the jump, {method}")
        assert_close(whole[x][before], first[x][-1], 1e-11 * size, f"{x} at the jump, {method}")


@pytest.mark.parametrize("number", tiers(range(20), usual=1))
def test_a_jump_separates_two_runs(number: int) -> None:
    """Random trees with forces of all kinds that depend on the input."""
    case = Case(("revolute", "universal", "prismatic", "cylindrical")[number % 4], number // 4)
    m = moving_tree(case, 3, ("revolute", "prismatic", "universal"))
    add_forces(m, np.random.default_rng(case.seed))
    check_pieces(m, "level", METHODS[number % len(METHODS)], number)


@pytest.mark.parametrize("method", ["rk4", "abm6"])
def test_loops_take_limits_from_inside(method: str) -> None:
    """A closed loop with a torque that jumps: the run is two runs."""
    m = quadrilateral(1.0, 3.0, 2.5, 3.2, 0.7, 2.0)
    m.motor("push", on=next(iter(m.bodies)), torque=10.0 * m.input("level"))
    check_pieces(m, "level", method, 1)


@pytest.mark.parametrize("method", ["rk4", "abm6", "gauss4", "dopri5"])
def test_events_are_at_jumps(method: str) -> None:
    """An input that jumps over zero at the end of a step causes an event at its time, to the rounding of times."""
    m = mbs.Model("watched")
    u = m.input("u")
    m.state("x", u)
    m.event("rise", u, direction=1)
    m.event("counted", u, direction=1, reset={"n": m.state("n", 0.0) + 1.0})
    for h in (0.1, 0.125, 0.07):
        time = 3 * h
        result = mbs.simulate(
            m, 6 * h, inputs={"u": ([0.0, time, time, 9.0], [-1.0, -1.0, 2.0, 2.0])}, method=method, step=h,
            output_interval=6 * h,
        )  # fmt: skip
        for name in ("rise", "counted"):
            assert_close(result.events[name], [time], 1e-15, f"time of {name}, {method}")
        assert result["n"][-1] == 1.0
        assert_close(result["x"][-1], time, 1e-14, "x")


# -- other ways to run ---------------------------------------------------------------------------------------


def gained() -> mbs.Model:
    """x' = c g u, with a gain g that jumps from 1 to 3 at 0.3 s."""
    m = mbs.Model("gained")
    gain = m.parameter("c", 1.0) * mbs.where(mbs.time < 0.3, 1.0, 3.0)
    x = m.state("x", gain * m.input("u"))
    m.output("y", x)
    return m


@pytest.fixture
def one_lane(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute directions one by one, as plain Python needs it."""
    for place in ("mbs_fmu.run.sensitivities", "mbs_fmu.analysis.array_functions"):
        monkeypatch.setattr(f"{place}.machine_lanes", lambda: 1)


@pytest.mark.usefixtures("one_lane")
@pytest.mark.parametrize("method", ONE_STEP)
def test_sensitivities_through_jumps(method: str) -> None:
    """The derivative of x with respect to a factor of x' is x, and with respect to a constant input the gain's."""
    table = ([0.0, 0.3, 0.3, 1.0], [1.0, 1.0, 2.0, 2.0])
    options: dict[str, Any] = {"method": method, "step": 0.1, "output_interval": 0.5}
    m = gained()
    plain = mbs.simulate(m, 1.0, inputs={"u": table}, **options)
    result = mbs.simulate(m, 1.0, inputs={"u": table}, sensitivities=["c", "u"], **options)
    assert np.array_equal(result["x"], plain["x"])
    assert_close(result["x"][-1], 0.3 + 0.7 * 3.0 * 2.0, 1e-14, "x")
    assert_close(result.sensitivity("x", "c")[-1], result["x"][-1], 1e-14, "dx/dc")
    assert_close(result.sensitivity("x", "u")[-1], 0.3 + 0.7 * 3.0, 1e-14, "dx/du")


@pytest.mark.usefixtures("one_lane")
@pytest.mark.parametrize("method", ONE_STEP)
def test_rollouts_are_runs_with_inputs_held_in_each_step(method: str) -> None:
    """Bit for bit, also in a tree with a force that jumps in time; and gradients are exact."""
    m = mbs.Model("arm")
    arm = m.body("arm", joint=mbs.Universal("xy"), mass=1.0, com=(0, 0, -0.3), inertia=(0.1, 0.2, 0.15))
    push = m.input("push") * mbs.where(mbs.time < 3 / 64, 1.0, 2.0)
    m.motor("m", on=arm, coordinate=1, torque=push)
    n, h = 12, 1 / 64
    run = mbs.ode(m).rollout(h, n, method=method)
    u = np.random.default_rng(2).normal(size=(n, 1))
    times = np.arange(n + 1) * h
    table = (np.repeat(times, 2)[1:-1], np.repeat(u[:, 0], 2))
    wanted = mbs.simulate(m, n * h, inputs={"push": table}, method=method, step=h, output_interval=h)
    x = run(u=u).x
    for k, name in enumerate(mbs.ode(m).states):
        assert np.array_equal(x[:, k], wanted[name]), name
    line = mbs.ode(gained(), ["c"]).rollout(0.1, 10, method=method)
    value, gradient = line.gradient("y", u=np.ones((10, 1)))
    assert_close(value, 0.3 + 0.7 * 3.0, 1e-14, "x")
    assert_close(gradient.p[0], value, 1e-14, "dx/dc")
    assert_close(gradient.u[:, 0], [0.1] * 3 + [0.3] * 7, 1e-15, "dx/du")


def test_rollouts_of_loops_through_jumps() -> None:
    """A rollout of a closed loop through a jump in time is one up to it, continued from there."""
    m = quadrilateral(1.0, 3.0, 2.5, 3.2, 0.7, 2.0)
    m.motor("push", on=next(iter(m.bodies)), torque=mbs.where(mbs.time < 0.05, 0.0, 10.0))
    f = mbs.ode(m)
    whole = f.rollout(0.01, 8)()
    first = f.rollout(0.01, 5)()
    second = f.rollout(0.01, 3)(t=0.05, x=first.x[-1])
    # each call closes the loops to 1e-10
    assert_close(whole.x[-1], second.x[-1], 1e-9, "state behind the jump")


@pytest.mark.parametrize("method", ["rk4", "abm6", "rodas5p"])
def test_fmus_take_limits_from_inside(method: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Communication steps, each of three internal ones, between which inputs jump, and a condition on time at one."""
    slave = Slaves(tmp_path, monkeypatch)(gained(), method, step=0.025)
    start(slave)
    x, u = reference(slave, "x"), reference(slave, "u")
    total, time = 0.0, 0.0
    for k in range(10):
        slave.set_real([u], [float(k)])
        assert slave.do_step(time, 0.075)
        total += 0.075 * k * (1.0 if k < 4 else 3.0)
        time = 0.075 * (k + 1)
    assert_close(slave.get_real([x])[0], total, 1e-13, "x of the FMU")
