"""Runs with kernels in plain Python: methods, error control, events, closed loops, FMUs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fmpy.validation import validate_fmu

import mbs_fmu as mbs
from mbs_fmu.integrate.methods.table import METHODS, method
from support.comparisons import assert_close
from support.models.fmu_models import MODELS
from support.models.small_models import two_motions, two_motions_exactly

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("in_plain_python")]
SPAN = 0.8  #: s


def error(r: mbs.Result) -> float:
    return float(np.max(np.abs(np.array([r["swing.phi"], r["mass.s"]]) - two_motions_exactly(r.time))))


@pytest.mark.usual
@pytest.mark.parametrize("name", METHODS)
def test_errors_fall_with_the_order(name: str) -> None:
    """Half the step gives 2^order times less error, to a factor of three, for steps short enough for the leading term
    and errors above rounding.
    """
    expected, ratio, count, last = 2.0 ** method(name).order, np.inf, 5, np.inf
    while not expected / 3 < ratio < expected * 3:
        r = mbs.simulate(two_motions(), SPAN, method=name, step=SPAN / count, output_interval=SPAN)
        ratio, last, count = last / error(r), error(r), 2 * count
        assert last > 1e-13


@pytest.mark.parametrize("name", [name for name in METHODS if method(name).adaptive])
def test_errors_follow_the_tolerance(name: str) -> None:
    """Errors follow the tolerance, with most output points inside steps, whose number grows as rtol^(-1/order)."""
    r = mbs.simulate(two_motions(), SPAN, method=name, rtol=1e-6, atol=1e-6, output_interval=0.02)
    assert error(r) <= 2e-4
    assert r.statistics["steps"] < 40 * 1e-6 ** (1 / 5 - 1 / min(method(name).order, 5))


def test_events_are_found() -> None:
    """The mass on its spring crosses zero at the times of its closed form."""
    m = two_motions()
    m.event("zero", mbs.coordinate("mass"))
    (crossing,) = mbs.simulate(m, 1.2, method="rk4", step=0.02).events["zero"]
    assert_close(two_motions_exactly(np.array([crossing]))[1][0], 0.0, 1e-6, f"place of the mass at {crossing} s")


@pytest.mark.parametrize("name", ["rk4", "dopri5"])
def test_loops_stay_closed_and_do_no_work(name: str) -> None:
    """A freely swinging four-bar has an energy error that falls with the order, and residuals within tolerance."""
    m = MODELS["four_bar"]()
    m.output("total", mbs.energy())
    drifts = []
    for step in (0.02, 0.01):
        r = mbs.simulate(m, 0.2, method=name, step=step, output_interval=0.2)
        drifts.append(float(np.ptp(r["total"])))
        assert r.statistics["residual"] <= 1e-10  # a hundredth of the absolute tolerance
    allowed = max(drifts[0] * 3 / 2 ** method(name).order, 1e-13 * float(np.abs(r["total"]).max()))
    assert drifts[1] <= allowed, f"range of the energy: {drifts} J with steps of 0.02 and 0.01 s"


@pytest.mark.usual
@pytest.mark.parametrize("name", ["rk4", "gauss4"])
def test_means_of_multipliers_are_those_of_steps(name: str) -> None:
    """With two steps per row the mean is that of the last step, to the square of the step, so impulses restart in every
    step.
    """
    m = MODELS["four_bar"]()
    loop = next(iter(m.loops))
    m.output("now", mbs.multiplier(loop, 1))
    m.output("mean", mbs.multiplier(loop, 1, mean=True))
    r = mbs.simulate(m, 0.03, method=name, step=2.5e-3, output_interval=5e-3)
    mean = r["now"][1:] - 0.25 * np.diff(r["now"])
    bound = 1e-4 * np.abs(r["now"]).max()
    assert_close(r["mean"][1:], mean, bound, f"mean multiplier of loop {loop!r}", times=r.time[1:])


@pytest.mark.usual
def test_small_impulses_restart_no_multistep_method() -> None:
    """Small impulses of a freely swinging four-bar do not restart a multistep method."""
    r = mbs.simulate(MODELS["four_bar"](), 0.1, method="abm6", step=2.5e-3, output_interval=0.1)
    assert r.statistics["steps"] >= 40 and r.statistics["rebasings"] <= 2


@pytest.mark.parametrize("q", np.eye(4))
def test_balls_start_at_any_attitude(q: np.ndarray) -> None:
    """Any single component of the quaternion may be nonzero; no start is refused."""
    m = mbs.Model("ball")
    m.body("a", joint=mbs.Spherical(), mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.start("a", q=q)
    r = mbs.simulate(m, 0.01, method="rk4", step=0.01, output_interval=0.01)
    assert [r[f"a.q[{k}]"][-1] for k in range(1, 5)] == list(q)


@pytest.mark.parametrize("name", [name for name in METHODS if method(name).adaptive])
def test_quaternions_are_normalised_inside_steps(name: str) -> None:
    """Also at output points inside long steps."""
    m = mbs.Model("ball")
    m.body("a", joint=mbs.Spherical(), mass=1.0, inertia=(1.0, 1.2, 1.5))
    m.start("a", q=(0.5, -0.5, 0.5, 0.5), u=(1.0, 2.0, -1.0))
    r = mbs.simulate(m, 0.5, method=name, rtol=1e-4, output_interval=0.01)
    assert r.statistics["steps"] < len(r.time) / 2
    squares = sum(r[f"a.q[{k}]"] ** 2 for k in range(1, 5))
    assert_close(squares, 1.0, 1e-14, "squared length of the quaternion of body 'a'", times=r.time)


@pytest.mark.usual
def test_the_description_is_valid(tmp_path: Path) -> None:
    """fmpy reports nothing about an FMU."""
    path = mbs.export(MODELS["gyro"](), tmp_path / "model.fmu", method="rk4", step=5e-3, stop_time=0.05)
    assert validate_fmu(str(path)) == []
