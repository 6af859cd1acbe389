"""Runs of laws with `mod` and periodic tables: values of all kinds of code, and integrals over many jumps in time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.integrate.methods.table import METHODS
from support.cases import tiers

POINTS, VALUES = [0.25, 1.0, 1.5, 2.75], [1.0, -3.0, 2.0, 0.5]
PERIOD = 0.3


def laws() -> mbs.Model:
    """Outputs of an input x, and of a parameter p."""
    m = mbs.Model("laws")
    x, p = m.input("x", start=0.0), m.parameter("p", 0.7)
    m.output("literal", x % -1.3)
    m.output("parameter", mbs.mod(x, p))
    m.output("table", mbs.table(x, POINTS, VALUES, period=3.0))
    m.output("slope", mbs.slope(x, POINTS, VALUES, period=3.0))
    m.state("z", mbs.sin(x % p))
    return m


def expected(x: np.ndarray | float, p: float = 0.7) -> dict[str, np.ndarray]:
    inside = np.mod(np.asarray(x) - POINTS[0], 3.0) + POINTS[0]
    xs, ys = [*POINTS, POINTS[0] + 3.0], [*VALUES, VALUES[0]]
    slopes = np.diff(ys) / np.diff(xs)
    return {
        "literal": np.mod(x, -1.3), "parameter": np.mod(x, p), "table": np.interp(inside, xs, ys),
        "slope": slopes[np.searchsorted(xs, inside, "right") - 1],
    }  # fmt: skip


def numbers(count: int) -> np.ndarray:
    return np.random.default_rng(count).uniform(-20.0, 20.0, count)


def require_values(found: Any, x: np.ndarray | float, p: float = 0.7) -> None:
    """Require the rests of numpy, and tables to a few roundings of numbers of some units."""
    for name, values in expected(x, p).items():
        got = np.asarray(found[name], dtype=float)
        assert np.array_equal(got, values) if name in ("literal", "parameter") else np.allclose(got, values, 0, 1e-13)


@pytest.mark.parametrize("engine", [pytest.param("python", marks=pytest.mark.quick), "own"])
def test_runs_have_the_numbers_of_numpy(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of random numbers of both signs, from a table of an input whose times are rows."""
    monkeypatch.setattr("mbs_fmu.codegen.engines.DEFAULT", engine)
    x = numbers(40)
    result = mbs.simulate(laws(), 39.0, inputs={"x": (np.arange(40.0), x)}, method="rk4", output_interval=1.0, step=1.0)
    require_values(result, x)


def test_lanes_have_the_numbers_of_numpy() -> None:
    """All members of a batch at once, each with its own number and period."""
    x, p = numbers(13), np.random.default_rng(3).uniform(0.1, 2.0, 13)
    members = mbs.Batch(inputs={"x": x}, parameters={"p": p})
    batch = mbs.simulate(laws(), 0.1, batch=members, method="rk4", step=0.1, output_interval=0.1)
    for k in range(13):
        require_values({name: batch[name][k, 0] for name in expected(0.0)}, float(x[k]), float(p[k]))


def test_functions_of_arrays_have_the_numbers_of_numpy() -> None:
    """`ode`, its Jacobians, linear models, and graphs of CasADi."""
    ca = pytest.importorskip("casadi", reason="graphs need the package casadi")
    f, graph = mbs.ode(laws(), ["p"]), mbs.to_casadi(laws(), ["p"])
    for x in numbers(20).tolist():
        at = 0.0, np.zeros(1), np.array([x]), np.array([0.7])
        require_values(dict(zip(f.outputs, f.outputs_at(*at))), x)
        require_values(dict(zip(f.outputs, np.array(graph(*at)[1]).ravel())), x)
        assert graph(*at)[0] == pytest.approx(np.sin(np.mod(x, 0.7)), rel=1e-14)
        d = f.jacobians(*at)
        slopes = dict(zip(f.outputs, d.y_u[:, 0]))
        assert slopes == pytest.approx({"literal": 1, "parameter": 1, "table": expected(x)["slope"], "slope": 0})
        assert d.y_p[f.outputs.index("parameter"), 0] == pytest.approx(-np.floor(x / 0.7))
        symbols = [ca.MX.sym(name, np.size(number)) for name, number in zip("txup", at)]
        J = ca.Function("J", symbols, [ca.jacobian(graph(*symbols)[1], symbols[2])])
        assert np.array(J(*at))[:, 0] == pytest.approx(d.y_u[:, 0])
    linear = mbs.linearize(laws(), inputs={"x": 1.2})
    row = list(linear.outputs).index("table")
    assert np.asarray(linear.D)[row, 0] == pytest.approx(expected(1.2)["slope"])


class Periodic:
    """Integrands over time with random periods, shifts and scales, and their exact integrals."""

    def __init__(self, seed: int):
        rng = np.random.default_rng([5, seed])
        self.period, self.scale, self.shift = (
            rng.uniform(0.2, 0.7),
            rng.choice([-1, 1]) * rng.uniform(0.5, 2),
            rng.normal(),
        )
        self.level = float(rng.uniform(0.1, 0.9)) * self.period
        self.start = float(rng.choice([0.0, rng.normal(), 30.0]))
        self.stop = self.start + 3.0

    def model(self) -> mbs.Model:
        m = mbs.Model("periodic")
        p, t = m.parameter("p", self.period), mbs.time
        rest = mbs.mod(self.scale * t + self.shift, p)
        m.state("saw", rest)
        m.state("pulse", mbs.where(rest < self.level, 1.0, 0.0))
        m.state("table", mbs.table(t, POINTS, VALUES, period=2.5))
        m.state("slope", mbs.slope(t, POINTS, VALUES, period=2.6))
        return m

    def integrals(self) -> dict[str, float]:
        """Sums of integrals between all times at which an integrand bends or jumps, by the midpoint of each."""
        times = [self.start, self.stop]
        for level in (0.0, self.level):
            whole = np.arange(-1000, 1000)
            times += ((whole * self.period + level - self.shift) / self.scale).tolist()
        for period in (2.5, 2.6):
            times += [point + k * period for k in range(-10, 20) for point in POINTS]
        times = sorted(t for t in times if self.start <= t <= self.stop)
        middle, h = (np.add(times[1:], times[:-1]) / 2, np.diff(times))
        rest = np.mod(self.scale * middle + self.shift, self.period)
        inside = np.mod(middle - POINTS[0], 2.6) + POINTS[0]
        xs, ys = [*POINTS, POINTS[0] + 2.6], [*VALUES, VALUES[0]]
        slopes = (np.diff(ys) / np.diff(xs))[np.searchsorted(xs, inside, "right") - 1]
        table = np.interp(np.mod(middle - POINTS[0], 2.5) + POINTS[0], POINTS, VALUES)
        integrands = {"saw": rest, "pulse": rest < self.level, "table": table, "slope": slopes}
        return {name: float(np.sum(values * h)) for name, values in integrands.items()}


@pytest.mark.parametrize("seed", tiers(range(4), usual=1))
@pytest.mark.parametrize("name", ["dopri5", "rodas5p"])
@pytest.mark.parametrize("watched", [False, True])
@pytest.mark.usefixtures("in_plain_python")
def test_steps_end_at_periodic_times(name: str, watched: bool, seed: int) -> None:
    """Integrals of functions that are linear between their jumps are exact to rounding, whatever the tolerance.

    watched: the model has an event, so that the jumps are instants.
    """
    case = Periodic(seed)
    m = case.model()
    if watched:
        m.event("middle", mbs.time - case.start - 1.7)
    result = mbs.simulate(m, case.stop, start_time=case.start, method=name, rtol=1e-3, atol=1e-3, output_interval=1.5)
    for column, exact in case.integrals().items():
        # each of some 50 jumps may be beside its time by its rounding, 4 eps times 33 s
        assert result[column][-1] == pytest.approx(exact, abs=50 * 3e-14), column


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.usefixtures("in_plain_python")
def test_fixed_steps_that_end_at_jumps(name: str) -> None:
    """A step that ends at a jump takes the limit before it, the next one that behind it: integrals are exact.

    Every fourth end of a step is a jump, whose time and the step's end are equal up to rounding.
    """
    m = mbs.Model("saw")
    m.state("saw", mbs.mod(mbs.time - 0.1, 0.4))
    m.state("pulse", mbs.where(mbs.mod(mbs.time, 0.4) >= 0.2, 1.0, 0.0))
    result = mbs.simulate(m, 2.1, start_time=0.1, method=name, step=0.1, output_interval=2.0)
    assert result["saw"][-1] == pytest.approx(5 * 0.08, abs=1e-13), name
    assert result["pulse"][-1] == pytest.approx(5 * 0.2, abs=1e-13), name


@pytest.mark.parametrize("name", ["dopri5", "dop853"])
@pytest.mark.usefixtures("in_plain_python")
def test_a_run_through_jumps_is_as_accurate_as_one_in_parts(name: str) -> None:
    """An oscillator under a saw tooth: the other runs have a straight line for each tooth."""

    def oscillator(force: mbs.Expression) -> mbs.Model:
        m = mbs.Model("oscillator", gravity=(0, 0, 0))
        body = m.body("x", joint=mbs.Prismatic("x"), mass=1.0)
        m.motor("force", on=body, force=force - 4.0 * mbs.coordinate(body))
        m.start(body, q=1.0)
        return m

    settings: dict[str, Any] = {"method": name, "rtol": 1e-9, "atol": 1e-11, "output_interval": 0.8}
    whole = mbs.simulate(oscillator(mbs.mod(mbs.time, 0.8)), 4.0, **settings)
    start, steps = {"x.s": 1.0, "x.v": 0.0}, 0
    for k in range(5):
        part = mbs.simulate(oscillator(mbs.time - 0.8 * k), 0.8 * (k + 1), start_time=0.8 * k, start=start, **settings)
        start, steps = {key: float(part[key][-1]) for key in start}, steps + part.statistics["steps"]
        assert {key: whole[key][k + 1] for key in start} == pytest.approx(start, abs=3e-9)
    assert whole.statistics["steps"] <= steps + 5


@pytest.mark.parametrize(
    "settings", tiers({"rk4": {"method": "rk4", "step": 0.01}, "dopri5": {"method": "dopri5"}}, usual=1)
)
def test_sensitivities_follow_moving_jumps(settings: dict[str, Any]) -> None:
    """In a model with instants they are differences; without, a parameter that moves jumps is refused.

    The integrals are linear in each number while the jumps keep their order, so that differences have no error but
    rounding, 1e-12 divided by their step.
    """

    def model(has_event: bool) -> mbs.Model:
        m = mbs.Model("moved")
        p, gain, level = (m.parameter(name, start) for name, start in (("p", 0.4), ("gain", 1.3), ("level", 0.15)))
        m.state("saw", gain * mbs.mod(mbs.time - 0.03, p))
        m.state("pulse", mbs.where(mbs.mod(mbs.time, p) < level, gain, 0.0))
        if has_event:
            clock = m.state("clock", 1.0)
            m.event("reset", clock - 0.777, direction=1, reset={"clock": 0.0})
        return m

    options: dict[str, Any] = {"output_interval": 1.9, **settings}
    names = {"p": 0.4, "gain": 1.3, "level": 0.15}
    r = mbs.simulate(model(True), 1.9, sensitivities=list(names), **options)
    for name, value in names.items():
        up, down = (mbs.simulate(model(True), 1.9, parameters={name: value + d}, **options) for d in (1e-3, -1e-3))
        for column in ("saw", "pulse"):
            difference = (up[column][-1] - down[column][-1]) / 2e-3
            assert r.sensitivity(column, name)[-1] == pytest.approx(difference, abs=1e-8), (column, name)
    with pytest.raises(mbs.ArgumentError, match="'p', which moves the time of a condition on time"):
        mbs.simulate(model(False), 1.9, sensitivities=["p"], **options)
    r = mbs.simulate(model(False), 1.9, sensitivities=["gain"], **options)
    assert r.sensitivity("pulse", "gain")[-1] == pytest.approx(5 * 0.15, abs=2e-3)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "fmi"), [("python", "2.0"), ("native", "2.0"), ("native", "3.0")])
def test_fmus_end_steps_at_periodic_times(kind: str, fmi: str, tmp_path: Path) -> None:
    """Integrals of FMUs are exact too, with communication points beside the jumps; so are rests of inputs."""
    import fmpy

    if kind == "native":
        pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
    case = Periodic(1)
    case.start, case.stop = 0.0, 3.0
    m = case.model()
    m.output("rest", mbs.mod(m.input("x", start=0.0), -1.3))
    file = mbs.export(
        m,
        tmp_path / "periodic.fmu",
        kind,
        fmi=fmi,
        platforms="host" if kind == "native" else "all",
        method="dopri5",
        rtol=1e-3,
        atol=1e-3,
    )
    x = np.array([(0.0, -7.7)], [("time", float), ("x", float)])
    rows = fmpy.simulate_fmu(
        str(file), stop_time=3.0, output_interval=0.25, input=x, output=[*case.integrals(), "rest"]
    )
    assert rows["rest"][-1] == np.mod(-7.7, -1.3)
    for column, exact in case.integrals().items():
        assert rows[column][-1] == pytest.approx(exact, abs=50 * 3e-15), column
