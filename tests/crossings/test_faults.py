"""Runs that once went wrong at crossings: releases with a blow, lost orders, NaN, counts without end, double counts."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import mbs_fmu as mbs
from mbs_fmu.integrate.methods.table import METHODS, method
from support.cases import tiers
from support.comparisons import assert_close
from support.crossings.faults import CASES, oscillator, pendulum
from support.crossings.outcomes import Case
from support.crossings.ways import Way, every_fixed_way, every_way

ROUNDING = 1e-12  #: bound of the errors of rounding of a run of a thousand steps


@every_way
@pytest.mark.parametrize("case", CASES, ids=str)
def test_outcome(case: Case, way: Way) -> None:
    """The rows and the log are those of the closed form."""
    case.check(way)


def error_at_8_s(way: Way, step: float, **parameters: float) -> float:
    """Error of the oscillator's position at 8 s."""
    parameters = {"level": 99.0, **parameters}
    result = mbs.simulate(oscillator(), 8.0, output_interval=8.0, parameters=parameters, **way.options(step))
    return abs(float(result["b.s"][-1]) - math.cos(8.0))


@every_fixed_way
@pytest.mark.parametrize("period", [0.5, 0.7])
def test_samples_keep_the_order(way: Way, period: float) -> None:
    """Ticks inside steps or at their ends leave the method its error: at most three times that of a run without."""
    for step in (2.0**-4, 2.0**-5):
        plain = error_at_8_s(way, step)
        bound = 3.0 * max(plain, step ** method(way.method).order) + ROUNDING
        ticked = error_at_8_s(way, step, period=period, first=period)
        assert ticked <= bound, f"error with samples every {period} s {ticked:.3g}, without {plain:.3g}, step {step} s"


#: order of the time of a crossing: that of the dense output, or of the method whose parts end at the crossing
ORDERS = {name: method(name).order for name in METHODS} | {"dopri5": 4, "tsit5": 4, "rodas5p": 4, "dop853": 7}


@every_fixed_way
def test_crossings_keep_the_order(way: Way) -> None:
    """The time of a reset, and the position behind it, are as accurate as a run without the reset."""
    for step in (0.25, 0.125, 0.0625):
        run = {"output_interval": 2.0, **way.options(step)}
        plain = mbs.simulate(oscillator(), 2.0, parameters={"level": 5.0}, **run)
        located = 1e-3 * step**5  # the local error of dense output of fourth order
        allowed = 10.0 * abs(float(plain["b.s"][-1]) - math.cos(2.0)) + located + ROUNDING
        for level in (0.5, 0.45, 0.4):
            result = mbs.simulate(oscillator(), 2.0, parameters={"level": level}, **run)
            times = result.events["passed"]
            assert times.shape == (1,), f"the level {level} is passed once, with steps of {step} s"
            behind = abs(float(result["b.s"][-1]) - math.cos(2.0))
            worst = max(abs(float(times[0]) - math.acos(level)), behind)
            assert worst < allowed, f"error {worst} with the level {level}, steps of {step} s, allowed {allowed}"


@functools.cache
def swing() -> tuple[np.ndarray, np.ndarray]:
    """Angle of the pendulum by scipy, rad, at the first and last time and at its turns: monotone pieces in between."""
    stiffness = 0.5 * 9.81 / (0.1 + 0.25)  # m g l over the moment of inertia about the hinge, 1/s^2

    def turn(t: float, y: np.ndarray) -> float:
        return float(y[1])

    solution = solve_ivp(
        lambda t, y: [y[1], -stiffness * math.sin(y[0])], (0.0, 4.0), [1.0, 0.0], rtol=1e-11, atol=1e-12, events=turn
    )
    turns = [(t, y[0]) for t, y in zip(solution.t_events[0], solution.y_events[0], strict=True) if 1e-3 < t < 3.999]
    points = [(0.0, 1.0), *turns, (4.0, float(solution.y[0, -1]))]
    return np.array([t for t, _ in points]), np.array([angle for _, angle in points])


def passages(angle: float) -> int:
    """Number of times that the pendulum passes an angle, rad, in 4 s; it is not near its turns and the last angle.

    The error of a method of second order is 0.01 rad.
    """
    _, angles = swing()
    assert np.abs(angles - angle).min() > 0.02, "choose another angle"
    return int(np.sum((angles[:-1] - angle) * (angles[1:] - angle) < 0.0))


@every_way
@pytest.mark.parametrize("angles", tiers({"one": [0.3], "all": list(np.linspace(-0.88, 0.92, 37))}, usual=1))
def test_every_passage_counts_once(way: Way, angles: list[float]) -> None:
    """Also where the step's end and the crossing are closer than the interpolant's error."""
    for angle in angles:
        run = {"output_interval": 4.0, "parameters": {"angle": angle}, "max_step": None if way.fixed else 0.1}
        result = mbs.simulate(pendulum(), 4.0, **way.options(), **run)
        counts = float(result["n"][-1]), len(result.events["counted"]), len(result.events["seen"])
        assert counts == (passages(angle),) * 3, f"passages of {angle:g} rad: state, resets, reports"
        # equal expressions share one crossing
        assert_close(result.events["counted"], result.events["seen"], 4e-16, "times of resets against reports, s")


@pytest.mark.parametrize("step", tiers([0.25, 0.125], usual=1))
@every_fixed_way
def test_a_crossing_near_the_end_of_a_step_counts_once(way: Way, step: float) -> None:
    """At any distance from the end, before it or behind it."""
    end = {"output_interval": 12 * step, "parameters": {"level": 99.0}, **way.options(step)}
    for k in (3, 5, 8):
        at = float(mbs.simulate(oscillator(), k * step, **end)["b.s"][-1])
        for distance in 10.0 ** -np.arange(5, 14):
            for level in (at - distance, at + distance):
                run = {"output_interval": 12 * step, "parameters": {"level": level}, **way.options(step)}
                result = mbs.simulate(oscillator(), (k + 3) * step, **run)
                times = result.events["passed"]
                assert len(times) == result["n"][-1] == 1.0, f"level {level!r} near the end of step {k}: {times}"
