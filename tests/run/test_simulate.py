"""Runs: orders of methods, dense output, inputs, failures that keep the rows so far."""

from __future__ import annotations

import math

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.codegen.modules import load_plain
from mbs_fmu.infrastructure import progress as waiting
from mbs_fmu.integrate.methods.explicit import Tableau, dopri5
from mbs_fmu.integrate.methods.table import STANDARD, method
from mbs_fmu.model.model import Model
from mbs_fmu.run import single
from mbs_fmu.run.simulate import compiled, runtimes
from support.comparisons import assert_close
from support.models.small_models import oscillator

DOPRI5 = dopri5()


def exact(t: np.ndarray) -> np.ndarray:
    return 0.5 * np.cos(2 * t) + 0.15 * np.sin(2 * t)


@pytest.fixture(scope="module")
def plant() -> Model:
    return oscillator()


@pytest.fixture(scope="module")
def driven() -> Model:
    return oscillator(drive=True)


@pytest.mark.parametrize("name", STANDARD)
def test_order_of_the_method(plant: Model, name: str) -> None:
    """The error falls with the order of the method, by regression."""
    steps = np.array([0.2, 0.1, 0.05, 0.025])
    errors = []
    for h in steps:
        r = mbs.simulate(plant, 2.0, method=name, step=h, output_interval=2.0)
        v = -np.sin(4.0) + 0.3 * np.cos(4.0)
        errors.append(np.hypot(r["b.s"][-1] - exact(np.array(2.0)), (r["b.v"][-1] - v) / 2))
    slope = np.polyfit(np.log(steps), np.log(errors), 1)[0]
    assert slope == pytest.approx(method(name).order, abs=0.25)


@pytest.mark.parametrize("rtol", [1e-4, 1e-7, 1e-10])
def test_error_follows_the_tolerance(plant: Model, rtol: float) -> None:
    """dopri5 keeps the error of every output point, including dense ones, near its tolerance."""
    r = mbs.simulate(plant, 10.0, rtol=rtol, output_interval=0.01)
    assert r.time.size == 1001 and r.time[-1] == 10.0
    assert_close(r["b.s"], exact(r.time), 100 * rtol, "position of b", times=r.time)
    assert r.statistics["steps"] < 1000 or rtol < 1e-9


def test_dense_output_has_order_four(plant: Model) -> None:
    """The interpolation between steps has at least order four."""
    errors = []
    for h in (0.2, 0.1):
        x0, k = np.array([0.5, 0.6]), []
        f = lambda x: np.array([x[1] / 2.0, -8.0 * x[0]])  # noqa: E731
        for row in DOPRI5.a:
            k.append(f(x0 + h * sum((float(a) * kj for a, kj in zip(row, k)), start=np.zeros(2))))
        assert DOPRI5.dense is not None
        worst = 0.0
        for theta in (0.25, 0.5, 0.75):
            b = [theta * sum(float(c) * theta**n for n, c in enumerate(row)) for row in DOPRI5.dense]
            x = x0 + h * sum(bi * ki for bi, ki in zip(b, k))
            worst = max(worst, abs(x[0] - exact(np.array(theta * h))))
        errors.append(worst)
    assert np.log2(errors[0] / errors[1]) >= 4.6  # local error of order 5 at least


def test_a_wrong_tableau_is_refused() -> None:
    """A tableau that violates an order condition or a row sum is refused."""
    with pytest.raises(ValueError, match="condition of order 2"):
        Tableau("bad", 2, ((), (DOPRI5.c[1],)), (DOPRI5.c[1], 1 - DOPRI5.c[1]), (DOPRI5.c[0], DOPRI5.c[1]), "")
    with pytest.raises(ValueError, match="row 1"):
        Tableau("bad", 1, ((), (DOPRI5.c[2],)), (DOPRI5.c[0], DOPRI5.c[0] + 1), (DOPRI5.c[0], DOPRI5.c[1]), "")


def test_equal_steps_end_on_every_output_time(plant: Model) -> None:
    """An interval H takes ceil(H/h) equal steps; a stop that is no multiple of it gets a shorter interval."""
    r = mbs.simulate(plant, 1.05, method="rk4", step=0.03, output_interval=0.1)
    assert r.statistics["steps"] == 10 * 4 + 2
    assert_close(r.time, [*np.arange(11) * 0.1, 1.05], 1e-15, "time of row")


def test_numbers_of_steps_do_not_overflow(plant: Model) -> None:
    """A number of steps beyond the range of integers does not become one step."""
    plain = load_plain(compiled(plant).program.module)
    for stop in (1e15, 1e17, 1e300):
        assert plain.equal_steps(0.0, stop, 1e-3) == 9e15


def test_equal_intervals_have_equal_steps_at_any_time(plant: Model) -> None:
    """Rounding of large times, more than a trillionth of an interval, adds no step."""
    r = mbs.simulate(plant, 9e3 + 100, start_time=9e3, method="rk4", step=0.01, output_interval=0.13)
    assert r.statistics["steps"] == 769 * 13 + 3


def test_both_solvers_run_the_same(plant: Model) -> None:
    """Both solvers give the same run."""
    a = mbs.simulate(plant, 1.0, method="rk4", step=0.01)
    b = mbs.simulate(plant, 1.0, method="rk4", step=0.01, solver="sweep")
    assert_close(a.data, b.data, 1e-13, "columns of both runs", a.columns)


def test_inputs_constant_table_and_function(driven: Model) -> None:
    """A ramp as a table and as a traced function gives the same motion; a constant is a constant."""
    options = {"method": "rk4", "step": 0.01, "output_interval": 0.1}
    table = mbs.simulate(driven, 2.0, inputs={"force": ([0.0, 2.0], [0.0, 1.0])}, **options)
    traced = mbs.simulate(driven, 2.0, inputs={"force": lambda t: 0.5 * t}, **options)
    assert_close(table["b.s"], traced["b.s"], 1e-13, "position of b by the table", times=table.time)
    wave = mbs.simulate(driven, 2.0, inputs={"force": lambda t: np.sin(t)}, rtol=1e-11)
    # x'' + 4x = sin(t)/2
    x = lambda t: 0.5 * np.cos(2 * t) + (0.15 - 1 / 12) * np.sin(2 * t) + np.sin(t) / 6  # noqa: E731
    assert_close(wave["b.s"], x(wave.time), 1e-9, "position of b by the wave", times=wave.time)
    held = mbs.simulate(driven, 1.0, inputs={"force": 3}, **options)
    assert np.all(held["b.f"] + 8 * held["b.s"] == pytest.approx(3.0, abs=1e-14))


def test_parameters_change_without_compiling(plant: Model) -> None:
    """A parameter of simulate takes effect without new kernels."""
    soft = mbs.simulate(plant, 1.0, parameters={"c": 2.0}, rtol=1e-10)
    assert_close(
        soft["b.s"],
        0.5 * np.cos(soft.time) + 0.3 * np.sin(soft.time),
        1e-8,
        "position of b on its soft spring",
        times=soft.time,
    )
    assert (
        len({runtime.program.text for _, runtime in runtimes(plant).values() if runtime.program.solver == "cholesky"})
        == 1
    )


def test_energy_is_kept_and_results_are_named(plant: Model, tmp_path: object) -> None:
    """Energy is conserved, and columns have the outputs' names."""
    r = mbs.simulate(plant, 20.0, rtol=1e-10)
    assert np.ptp(r["E"]) <= 1e-7
    assert r.columns == ["time", "b.s", "b.v", "b.f", "E"]
    assert r.units["b.v"] == "m/s" and "b.s" in r and "nothing" not in r
    with pytest.raises(KeyError, match="no result 'nothing'"):
        r["nothing"]


def test_csv_comes_back_exactly(plant: Model, tmp_path) -> None:  # type: ignore[no-untyped-def]
    """to_csv keeps every bit; the plot is a figure."""
    from mbs_fmu.run.results.csv_tables import read_csv

    r = mbs.simulate(plant, 1.0, rtol=1e-6)
    again = read_csv(r.to_csv(tmp_path / "sub" / "r.csv"))
    assert list(again) == r.columns
    assert all(np.array_equal(again[name], r[name]) for name in r.columns)
    r.plot("b.s", "E", path=tmp_path / "r.png")
    assert (tmp_path / "r.png").read_bytes().startswith(b"\x89PNG")


def test_a_result_without_columns_has_no_picture() -> None:
    """A plot of a result without columns is refused with a message."""
    with pytest.raises(mbs.ModelError, match="'nothing' has no columns but time: give the model outputs"):
        mbs.simulate(mbs.Model("nothing"), 1.0, progress=False).plot()


def explosive() -> Model:
    """x'' = x³, which escapes to infinity in finite time."""
    m = Model("explosive", gravity=(0, 0, 0))
    b = m.body("rocket", "world", mbs.Prismatic("x"), mass=1.0, inertia=(1, 1, 1))
    m.motor("f", on=b, force=mbs.coordinate(b) ** 3)
    m.start(b, q=1.0, u=1.0)
    return m


@pytest.mark.parametrize("options", [{"method": "rk4", "step": 0.01}, {"rtol": 1e-6}])
def test_a_diverging_run_keeps_its_rows(options: dict[str, float]) -> None:
    """The message names time, body and step size; the result holds all rows before."""
    with pytest.raises(mbs.SimulationError, match=r"body 'rocket'.*t = .* s with step size .* s") as caught:
        mbs.simulate(explosive(), 10.0, output_interval=0.01, **options)  # type: ignore[arg-type]
    result = caught.value.result
    assert isinstance(result, mbs.Result)
    assert 50 < len(result) < 1001
    assert np.all(np.isfinite(result.data))
    assert np.all(np.diff(result["rocket.s"]) > 0)


def test_long_runs_show_progress(
    plant: Model, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Long runs show a bar on standard error; their kernels are called in slices."""
    monkeypatch.setattr(waiting, "DELAY", 0.0)
    monkeypatch.setattr(single, "SLICE", 1e-4)
    mbs.simulate(plant, 100.0, method="rk4", step=1e-3, progress=True)
    assert "oscillator" in capsys.readouterr().err


def test_quaternions_stay_normal() -> None:
    """A spinning free body keeps |q| = 1, its angular momentum, and its centre of mass on a straight line."""
    m = Model("top", gravity=(0, 0, 0))
    b = m.body("b", "world", mbs.Free(), mass=2.0, com=(0.1, 0.2, 0.3), inertia=(0.2, 0.3, 0.4))
    m.start(b, q=(0, 0, 0, 1, 0, 0, 0), u=(0.1, 0.2, 0.3, 5.0, 1.0, 2.0))
    m.output("com", mbs.position(b, (0.1, 0.2, 0.3)))
    r = mbs.simulate(m, 20.0, rtol=1e-10)
    q = np.column_stack([r[f"b.q[{k}]"] for k in (4, 5, 6, 7)])
    assert_close(np.linalg.norm(q, axis=1), 1, 1e-15 * 4, "norm of the quaternion", times=r.time)
    com = r["com"]
    line = com[0] + np.outer(r.time, com[-1] - com[0]) / r.time[-1]
    assert_close(com, line, 1e-7, "path of the centre of mass", times=r.time)


def test_signal_states_follow_their_rates() -> None:
    """A controller without bodies, z' = (u - z)/T, has the exponential step response."""
    m = Model("lag")
    u, T = m.input("u"), m.parameter("T", 0.5, unit="s")
    z = m.state("z", rate=lambda z: (u - z) / T)
    m.output("y", 2 * z)
    r = mbs.simulate(m, 2.0, inputs={"u": 1.0}, rtol=1e-10)
    assert_close(r["y"], 2 * (1 - np.exp(-r.time / 0.5)), 1e-8, "signal y", times=r.time)
    gain = Model("gain")
    gain.output("y", 3 * gain.input("u"))
    assert np.all(mbs.simulate(gain, 1.0, inputs={"u": 2.0})["y"] == 6.0)


@pytest.mark.quick
@pytest.mark.usefixtures("in_plain_python")
@pytest.mark.parametrize("seed", range(12))
def test_default_rows_shorten_no_step(seed: int) -> None:
    """All steps but those of the last interval have the given size, for any step and run, with at most 501 rows."""
    rng = np.random.default_rng(seed)
    span, step = float(rng.uniform(0.1, 5.0)), float(10.0 ** rng.uniform(-2.0, -1.0))
    result = mbs.simulate(oscillator(), span, method="rk4", step=step)
    assert result.statistics["steps"] == math.ceil(span / step) and not result.statistics["notes"]
    assert result.time[-1] == span and len(result.time) <= 501
    assert np.allclose(np.diff(result.time)[:-1] / step, np.rint((result.time[1] - result.time[0]) / step), atol=1e-9)


@pytest.mark.quick
def test_rows_at_step_ends_stay_where_they_are() -> None:
    """A 500th of the run is the interval, to the bit, where a whole number of steps fits."""
    for span, step in ((1.0, 1e-3), (10.0, 0.005), (0.3, 0.3 / 500), (7.0, 0.0), (2.0, 1e-5)):
        assert single.default_interval(span, step) == span / 500
    assert single.default_interval(4.0, 0.02) == 0.02 and single.default_interval(0.7, 1e-3) == 0.002
    assert single.default_interval(0.5, 2.0) == 0.5


@pytest.mark.quick
@pytest.mark.usefixtures("in_plain_python")
@pytest.mark.parametrize(("interval", "size"), [(0.008, "0.008"), (0.05, "0.0166667"), (0.04, ""), (0.02, "")])
def test_shorter_steps_are_noted(interval: float, size: str) -> None:
    """The note has the size that results from the output interval; multiples of the step need none."""
    result = mbs.simulate(oscillator(), 0.4, method="rk4", step=0.02, output_interval=interval)
    notes = result.statistics["notes"]
    assert [f"the steps have {size} s instead of 0.02 s" in note for note in notes] == ([True] if size else [])
    assert result.statistics["steps"] == round(0.4 / float(size or 0.02))
