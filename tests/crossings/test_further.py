"""Crossings of one kind that coincide, zeros at the start, and periods and steps near the rounding of time."""

from __future__ import annotations

import functools

import pytest

import mbs_fmu as mbs
from support.comparisons import assert_close
from support.crossings.further import CASES
from support.crossings.outcomes import Case
from support.crossings.ways import Way, every_fixed_way, every_way, prepared

LATE = 2.0**20  #: a time, s, whose rounding is 2^-32 s
ULP = 2.0**-32


@every_way
@pytest.mark.parametrize("case", CASES, ids=str)
def test_outcome(case: Case, way: Way) -> None:
    """The rows, the log and the lost energies are those of the closed form."""
    case.check(way)


@functools.cache
def late_clock() -> mbs.Model:
    """x' = 1, and a signal that counts its ticks."""
    m = mbs.Model("late_clock")
    m.state("x", 1.0)
    m.sampled("n", m.parameter("period", 1.0), lambda n: n + 1.0, offset=LATE)
    return prepared(m)


def late_run(way: Way, roundings: int, **options: object) -> mbs.Result:
    """Run the late clock over a number of roundings of time, with two rows."""
    end = LATE + roundings * ULP
    return mbs.simulate(late_clock(), end, start_time=LATE, output_interval=end - LATE, **{**way.options(), **options})


@every_way
def test_periods_that_time_does_not_feel_are_refused(way: Way) -> None:
    """A period of three roundings of time is refused before the run; one of five is not."""
    with pytest.raises((mbs.SimulationError, mbs.ModelError), match="period"):
        late_run(way, 1000, parameters={"period": 3.0 * ULP})
    assert late_run(way, 1000, parameters={"period": 5.0 * ULP})["n"][-1] >= 1.0


@every_fixed_way
def test_steps_that_time_does_not_feel_are_refused(way: Way) -> None:
    """A step of three roundings of time is refused before the run; with five, time and state advance together."""
    with pytest.raises((mbs.SimulationError, mbs.ArgumentError), match="step"):
        late_run(way, 900, step=3.0 * ULP)
    result = late_run(way, 1000, step=5.0 * ULP)
    assert result.statistics["steps"] == 200
    assert_close(result["x"][-1], 1000 * ULP, 1e-9 * 1000 * ULP, "x at the end")
