"""Identification recovers the parameters of the data, with the uncertainty of the noise."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from models.four_bar import four_bar

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("in_plain_python", "one_lane")]
TRUTH = {"k": 5.0, "c": 0.3, "mass": 1.4}
STEPS: dict[str, Any] = {"method": "rk4", "step": 0.1}
TIMES = np.linspace(0.0, 3.0, 31)


@pytest.fixture
def one_lane(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run batches with one lane, since lanes need machine code."""
    monkeypatch.setattr("mbs_fmu.run.sensitivities.machine_lanes", lambda: 1)


def oscillator() -> Model:
    """Return a mass on a spring and damper with an input force and parameters to identify."""
    m = Model("oscillator", gravity=(0, 0, 0))
    k, c = m.parameter("k", 4.0, min=0.0), m.parameter("c", 0.1, min=0.0)
    body = m.body("b", joint=mbs.Prismatic("x"), mass=m.parameter("mass", 1.0, min=1e-3))
    m.spring("spring", on=body, stiffness=k, damping=c)
    m.motor("push", on=body, force=m.input("force", start=0.0))
    m.output("place", mbs.coordinate(body), unit="m")
    m.output("pair", (mbs.coordinate(body), mbs.rate(body), 0.0))
    m.start(body, q=1.0)
    return m


def measured(noise: float = 0.0, seed: int = 0, force: float = 1.0, **more: Any) -> dict[str, np.ndarray]:
    """Return data of the true model, with its force as a column."""
    push = force * np.sin(2.3 * TIMES)
    options = {"parameters": TRUTH, "inputs": {"force": (TIMES, push)}, "output_interval": 0.1, **STEPS, **more}
    r = mbs.simulate(oscillator(), 3.0, **options)
    rng = np.random.default_rng(seed)
    return {"time": TIMES, "force": push, "place": r["place"] + noise * rng.normal(size=len(TIMES)), "odd": 0 * TIMES}


def test_exact_data_give_the_exact_parameters() -> None:
    """Steps are the same, so the sum of squares vanishes; a column with an input's name is that input."""
    fit = mbs.identify(oscillator(), measured(), list(TRUTH), **STEPS)
    assert fit.success and fit.parameters == fit.values and not fit.start
    assert all(fit.values[name] == pytest.approx(x, rel=1e-8) for name, x in TRUTH.items())
    assert fit.rms["place"] < 1e-9 and list(fit.residuals[0]) == ["place"]
    again = mbs.simulate(oscillator(), 3.0, parameters=fit.parameters, inputs={"force": 0.0}, **STEPS)
    assert again.parameters["k"] == fit.values["k"]


def test_data_may_have_other_names(tmp_path: Path) -> None:
    """`columns` maps names of the model to those of the data, in arrays and files, including the time."""
    data_of_model = measured()
    names = {"time": "t", "force": "F [N]", "place": "enc"}
    there = {names.get(name, name): x for name, x in data_of_model.items()}
    file = tmp_path / "run.csv"
    np.savetxt(file, np.column_stack(list(there.values())), "%.17g", ",", header=", ".join(there), comments="")
    expected = mbs.identify(oscillator(), data_of_model, ["k", "c"], **STEPS).values
    for data in (there, file):
        assert mbs.identify(oscillator(), data, ["k", "c"], columns=names, **STEPS).values == expected
    with pytest.raises(mbs.ModelError, match=r"run.csv has no column 'time': rename 't' to 'time'"):
        mbs.identify(oscillator(), file, ["k", "c"], **STEPS)
    with pytest.raises(mbs.ModelError, match="there is no measured 'encoder'; there are time, F "):
        mbs.identify(oscillator(), file, ["k", "c"], columns={"time": "t", "place": "encoder"}, **STEPS)


@pytest.mark.usual
def test_uncertainty_is_that_of_linear_theory() -> None:
    """Over many noises, (fit - truth) / deviation has mean square 1: for 30 numbers within 3 sigma, 0.77.

    The covariance is s² (JᵀJ)⁻¹.
    """
    ratios = []
    for seed in range(10):
        fit = mbs.identify(oscillator(), measured(0.02, seed), list(TRUTH), guess=TRUTH, tolerance=1e-7, **STEPS)
        ratios += [(fit.values[name] - x) / fit.deviations[name] for name, x in TRUTH.items()]
        assert fit.rms["place"] == pytest.approx(0.02, rel=0.4)
    assert abs(np.mean(np.square(ratios)) - 1.0) < 1.2  # ratios within a fit are correlated
    r = mbs.simulate(
        oscillator(), 3.0, parameters=fit.parameters, output_interval=0.1, sensitivities=list(TRUTH),
        inputs={"force": (TIMES, np.sin(2.3 * TIMES))}, **STEPS,
    )  # fmt: skip
    J = np.column_stack([r.sensitivity("place", name) for name in TRUTH])
    variance = np.sum(fit.residuals[0]["place"] ** 2) / (31 - 3)
    assert np.allclose(fit.covariance, variance * np.linalg.inv(J.T @ J), rtol=1e-6)
    assert np.allclose(np.diag(fit.correlation), 1.0)


@pytest.mark.usual
def test_printed_deviations_are_one_standard_deviation() -> None:
    """About 68 % of fits lie within ± of the truth: of 100 straight lines with noise between 53 and 83, 3.3 standard
    deviations of the count. Two standard deviations, as a 95 % interval, would contain 95.
    """
    m = Model("line")
    m.state("x", m.parameter("slope", 0.5))
    times, rng = np.linspace(0.0, 1.0, 11), np.random.default_rng(3)
    within = 0
    for _ in range(100):
        data = {"time": times, "x": 0.7 * times + 0.1 * rng.normal(size=11)}
        text = repr(mbs.identify(m, data, ["slope"], **STEPS))
        value, deviation = map(float, re.findall(r"slope = (\S+) ± (\S+)", text)[0])
        within += abs(value - 0.7) < deviation
    assert 53 <= within <= 83, within


def test_several_runs_are_fitted_together() -> None:
    """Each run has its own input and start; one has its own unknown start value, one begins before its first time."""
    late = measured(force=0.5, start={"b.s": 0.3})
    late = {name: x[7:] for name, x in late.items()}
    runs = [
        mbs.Measured(measured(force=0.0, start={"b.s": 0.4, "b.v": 0.2}), start={"b.v": 0.2}, free=["b.s"]),
        mbs.Measured(
            late, start={"b.s": 0.3}, start_time=0.0, inputs={"force": (TIMES, 0.5 * np.sin(2.3 * TIMES))},
        ),
    ]  # fmt: skip
    fit = mbs.identify(oscillator(), runs, ["k", "c"], parameters={"mass": TRUTH["mass"]}, **STEPS)
    assert list(fit.values) == ["k", "c", "b.s (run 1)"]
    assert fit.own == [({}, {"b.s": pytest.approx(0.4, rel=1e-8)}), ({}, {})]
    assert fit.values["k"] == pytest.approx(TRUTH["k"], rel=1e-8)
    assert len(fit.residuals[1]["place"]) == 24


def test_nan_and_zero_weights_omit_data(tmp_path: Path) -> None:
    """Vectors are selected by name, and files are read."""
    data = measured()
    data["place"][3] = np.nan
    data["place"][5] = 100.0
    weights = np.ones(31)
    weights[5] = 0.0
    fit = mbs.identify(oscillator(), data, list(TRUTH), weights={"place": weights}, **STEPS)
    assert fit.values["c"] == pytest.approx(TRUTH["c"], rel=1e-8)
    assert np.flatnonzero(np.isnan(fit.residuals[0]["place"])).tolist() == [3, 5]
    r = mbs.simulate(oscillator(), 3.0, parameters=TRUTH, output_interval=0.1, **STEPS)
    for source in (r, r.to_npz(tmp_path / "r.npz"), r.to_csv(tmp_path / "r.csv")):
        fit = mbs.identify(oscillator(), source, ["k"], columns=["pair"], parameters=TRUTH, **STEPS)
        assert list(fit.residuals[0]) == ["pair[1]", "pair[2]", "pair[3]"]
        assert fit.values["k"] == pytest.approx(TRUTH["k"], rel=1e-8)


def test_start_values_can_be_fitted_with_error_control() -> None:
    """Data need no steps of their own, and the start is fitted together with parameters."""
    data = measured(start={"b.s": 0.8, "b.v": -0.3}, step=0.01)
    uneven = np.sort(np.random.default_rng(0).permutation(30)[:18] + 1)
    data = {name: x[[0, *uneven]] for name, x in data.items()}
    force = {"force": (TIMES, np.sin(2.3 * TIMES))}
    fit = mbs.identify(oscillator(), data, ["k", "b.s", "b.v"], parameters=TRUTH, guess={"k": 4.0}, inputs=force)
    assert fit.start == {"b.s": pytest.approx(0.8, abs=1e-6), "b.v": pytest.approx(-0.3, abs=1e-6)}
    assert fit.values["k"] == pytest.approx(TRUTH["k"], rel=1e-6)


def chain(count: int) -> Model:
    """A chain of hinged rods, each with a spring and a damper to identify, and its angles."""
    m = Model("chain")
    body: str | mbs.Body = "world"
    for k in range(count):
        place = (0, 0, -0.3) if k else (0, 0, 0)
        body = m.body(f"b{k}", body, mbs.Revolute("y"), at=place, **mbs.rod((0, 0, -0.3), mass=0.5))
        stiffness, damping = m.parameter(f"k{k}", 1.0, min=0.0), m.parameter(f"c{k}", 0.05, min=0.0)
        m.spring(f"s{k}", on=body, stiffness=stiffness, damping=damping)
        m.start(body, q=0.3)
        m.output(f"angle{k}", mbs.coordinate(body), unit="rad")
    return m


@pytest.mark.usual
def test_gradients_of_runs_vanish_at_the_fit() -> None:
    """With twelve unknowns: the gradient of the sum of squares in reverse mode is zero at the values of the fit, so
    that both ways have one estimate; elsewhere it is that of the sensitivities.
    """
    m, h, rows, rng = chain(6), 0.04, 12, np.random.default_rng(0)
    names = list(m.parameters)
    truth = {name: x.value * rng.uniform(0.7, 1.4) for name, x in m.parameters.items()}
    steps: dict[str, Any] = {"method": "rk4", "step": h}
    r = mbs.simulate(m, rows * h, parameters=truth, output_interval=h, **steps)
    run = mbs.ode(m, names).rollout(h, rows)
    Y = np.column_stack([r[name] for name in run.outputs])
    Y += 1e-3 * rng.normal(size=Y.shape)
    data = {"time": r.time, **dict(zip(run.outputs, Y.T, strict=True))}
    fit = mbs.identify(m, data, names, guess=truth, weights=dict.fromkeys(run.outputs, 1.0), **steps)

    def gradient(values: dict[str, float]) -> np.ndarray:
        trajectory, vjp = run.vjp(p=[values[name] for name in names])
        return vjp(y=trajectory.y - Y).p

    away = mbs.simulate(m, rows * h, output_interval=h, sensitivities=names, **steps)
    left = np.column_stack([away[name] for name in run.outputs]) - Y
    J = np.array([[away.sensitivity(output, name) for output in run.outputs] for name in names])  # (12, 6, rows)
    start = dict(zip(names, run.p0, strict=True))
    assert np.allclose(gradient(start), np.einsum("pyr,ry->p", J, left), rtol=0, atol=1e-11)
    # the search ends where steps change the sum of squares by 1e-10: within 1e-5 of |r| from the minimum
    noise = 1e-3 * np.sqrt(Y.size)
    assert np.all(np.abs(gradient(fit.values)) < 1e-4 * noise * np.linalg.norm(J, axis=(1, 2)))


@pytest.mark.slow
def test_lengths_of_a_closed_loop_can_be_fitted() -> None:
    """The length of the ground, the friction and the start velocity follow from the rocker's angle: the start is
    assembled for each trial.
    """
    steps = {"method": "rk4", "step": 0.02}
    truth = {"ground": 2.03, "b": 0.4}
    r = mbs.simulate(four_bar(), 0.1, parameters=truth, output_interval=0.02, **steps)
    data = {"time": r.time, "rocker_angle": r["rocker_angle"]}
    fit = mbs.identify(four_bar(), data, ["ground", "b", "crank.w"], tolerance=1e-8, **steps)
    assert fit.parameters == {name: pytest.approx(x, rel=1e-5) for name, x in truth.items()}
    assert fit.start["crank.w"] == pytest.approx(1.0, rel=1e-5)


def test_fits_respect_bounds() -> None:
    fit = mbs.identify(oscillator(), measured(), ["k", "c"], parameters=TRUTH, bounds={"c": (0.4, None)}, **{
        **STEPS, "guess": {"c": 0.6}})  # fmt: skip
    assert fit.values["c"] == pytest.approx(0.4, rel=1e-6) and fit.notes == ["c is at its bound, 0.4"]


def test_parameters_that_the_data_do_not_determine_are_reported() -> None:
    """Free motion determines only the ratios of k and c to the mass."""
    data = measured(force=0.0)
    with pytest.warns(UserWarning, match="the data do not determine k, c, mass: leave some out of free=") as caught:
        fit = mbs.identify(oscillator(), data, list(TRUTH), **STEPS)
    assert set(fit.deviations.values()) == {np.inf} and caught[0].filename == __file__
    assert fit.values["k"] / fit.values["mass"] == pytest.approx(TRUTH["k"] / TRUTH["mass"], rel=1e-6)


def test_ctrl_c_keeps_the_best_fit_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    from mbs_fmu.analysis.measured import MeasuredRun

    deviations, calls = MeasuredRun.deviations, iter(range(3))

    def pressed(self: MeasuredRun, values: dict[str, float]) -> Any:
        if next(calls, None) is None:
            raise KeyboardInterrupt
        return deviations(self, values)

    monkeypatch.setattr(MeasuredRun, "deviations", pressed)
    with pytest.raises(mbs.Interrupted, match="the best fit so far") as caught:
        mbs.identify(oscillator(), measured(), ["k"], parameters=TRUTH, guess={"k": 4.0}, **STEPS)
    fit = caught.value.result
    assert isinstance(fit, mbs.Fit) and "not converged" in repr(fit)
    assert abs(fit.values["k"] - TRUTH["k"]) < 1.0


def test_invalid_arguments_of_identify_are_refused() -> None:
    m, data = oscillator(), measured()
    for arguments, message in (
        ({"free": "k"}, "name parameters and start values in a list"),
        ({"free": []}, "free is empty"),
        ({"free": ["x"]}, "unknown parameter 'x'"),
        ({"free": ["force"]}, "unknown start value 'force'"),
        ({"bounds": {"c": (0, 1)}}, "bounds: 'c' is no unknown"),
        ({"bounds": {"k": 3}}, r"bounds of 'k' are 3: give \(low, high\)"),
        ({"guess": {"k": -1.0}}, "guess of 'k' is -1: it must lie within its bounds, 0 .. inf"),
        ({"columns": ["odd"]}, "'odd' is not both measured and one of the model's: place are"),
        ({"weights": {"place": -1.0}}, "weights of 'place' must be finite and not negative"),
        ({"weights": {"odd": 1.0}}, "weights: 'odd' is not compared"),
        ({"evaluations": 0}, "evaluations is 0"),
        ({"solver": "x"}, "unknown solver 'x'"),
        ({"data": []}, "data has no run"),
        ({"data": {"time": TIMES, "x": TIMES}}, "no measured column is one of 'oscillator': there are x"),
        ({"data": {"time": 0 * TIMES, "place": TIMES}}, "measured times must increase, with at least two"),
        ({"data": mbs.Measured(data, start_time=1.0)}, "start_time 1 s is after the first measured time, 0 s"),
        ({"data": {name: x[:2] for name, x in data.items()}, "free": list(TRUTH)}, "2 measured numbers do not"),
    ):
        with pytest.raises(mbs.ModelError, match=message):
            mbs.identify(m, **{"data": data, "free": ["k"], **STEPS, **arguments})


def test_without_scipy_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "scipy.optimize", None)
    with pytest.raises(mbs.ModelError, match=r"identify needs scipy: pip install 'mbs-fmu\[identify\]'"):
        mbs.identify(oscillator(), measured(), ["k"])
