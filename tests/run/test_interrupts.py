"""Ctrl-C keeps the results so far, of a run and of a batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.run import single
from mbs_fmu.run.batches import members as batches
from mbs_fmu.run.runtime import Runtime

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("in_plain_python")]

OPTIONS: dict[str, Any] = {"method": "rk4", "step": 0.01, "output_interval": 0.01}


def model() -> mbs.Model:
    m = mbs.Model("clock")
    m.state("z", rate=m.parameter("rate", 1.0))
    return m


class Clock:
    """Clock between slices; the call of this number raises KeyboardInterrupt."""

    def __init__(self, number: int):
        self.left = number

    def perf_counter(self) -> float:
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt
        return -0.1 * self.left  # so that every slice has its target duration, and the next one has as many steps


@pytest.fixture
def interrupted(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any, int], None]:
    def patch(module: Any, number: int) -> None:
        monkeypatch.setattr(module, "clock", Clock(number))
        monkeypatch.setattr(module, "FIRST_BUDGET", 1000)

    return patch


def test_a_run_keeps_its_rows(interrupted: Callable[[Any, int], None]) -> None:
    """The rows of all complete slices are those of an uninterrupted run, bit for bit, with all data of a result."""
    whole = mbs.simulate(model(), 50.0, **OPTIONS)
    interrupted(single, 5)
    with pytest.raises(KeyboardInterrupt, match=r"clock: interrupted; .* sys.last_value.result\): result of") as error:
        mbs.simulate(model(), 50.0, **OPTIONS)
    assert isinstance(error.value, mbs.Interrupted)
    result = error.value.result
    assert isinstance(result, mbs.Result) and 1000 < len(result) < len(whole)
    assert np.array_equal(result.data, whole.data[: len(result)]) and result.parameters == {"rate": 1.0}


def test_before_the_first_row_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C during initialization is a plain KeyboardInterrupt without a result."""

    def start(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Runtime, "begin", start)
    with pytest.raises(KeyboardInterrupt) as error:
        mbs.simulate(model(), 1.0, **OPTIONS)
    assert type(error.value) is KeyboardInterrupt


@pytest.mark.parametrize("threads", [1, 2])
def test_a_batch_keeps_its_members(interrupted: Callable[[Any, int], None], threads: int) -> None:
    """Complete members and the rows of running ones are kept; the members' messages state which."""
    n, one = 6, {"lanes": 1, "threads": threads}
    rates = np.linspace(1.0, 2.0, n)
    whole = mbs.simulate(model(), 12.0, batch=mbs.Batch(parameters={"rate": rates}, **one), **OPTIONS)
    assert not whole.faults and np.all(whole.rows == 1201)
    interrupted(batches, 8)
    with pytest.raises(KeyboardInterrupt) as error:
        mbs.simulate(model(), 12.0, batch=mbs.Batch(parameters={"rate": rates}, **one), **OPTIONS)
    result = error.value.result  # type: ignore[attr-defined]
    assert isinstance(result, mbs.BatchResult) and result.faults
    for k in range(n):
        rows = result.rows[k]
        assert np.array_equal(result.data[k, :rows], whole.data[k, :rows]) and np.all(np.isnan(result.data[k, rows:]))
        assert (result.faults.get(k) == "interrupted") == (rows < 1201)
    assert 0 < sum(result.rows) < n * 1201 and result.parameters["rate"][2] == rates[2]


# -- between two rows ------------------------------------------------------------------------------------------


FIXED = ("rk4", "dopri5", "rodas5p", "abm6", "gauss4")


@pytest.mark.parametrize("name", FIXED)
def test_a_run_ends_between_two_rows(interrupted: Callable[[Any, int], None], name: str) -> None:
    """Slices end after a number of steps, regardless of rows."""
    interrupted(single, 3)
    with pytest.raises(mbs.Interrupted) as error:
        mbs.simulate(model(), 1.0, method=name, step=1e-4, output_interval=1.0)
    result = error.value.result
    assert isinstance(result, mbs.Result) and len(result) == 1


@pytest.mark.usual
@pytest.mark.parametrize("budget", [1, 3])
@pytest.mark.parametrize("name", FIXED)
def test_slices_change_no_bit(monkeypatch: pytest.MonkeyPatch, name: str, budget: int) -> None:
    """Rows and statistics are the same for any number of slices, also for multistep methods."""
    m = mbs.Model("pendulum")
    arm = m.body("arm", joint=mbs.Spherical(), mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
    m.spring("damps", on=m.body("slide", arm, mbs.Prismatic("x"), mass=1.0), stiffness=3.0, damping=0.1)
    m.start(arm, u=(1.0, 2.0, 3.0))
    m.output("E", mbs.energy())
    options: dict[str, Any] = {"method": name, "step": 0.01, "output_interval": 0.085}
    whole = mbs.simulate(m, 0.2, **options)
    monkeypatch.setattr(single, "FIRST_BUDGET", budget)
    monkeypatch.setattr(single, "next_budget", lambda budget, took: budget)
    sliced = mbs.simulate(m, 0.2, **options)
    assert np.array_equal(sliced.data, whole.data) and sliced.statistics == whole.statistics


def test_slices_last_a_fifth_of_a_second() -> None:
    """The number of steps in a slice doubles until slices are long enough, and halves where one takes too long."""
    budget, took = single.FIRST_BUDGET, 0.0
    for seconds in (1e-9, 1e-6, 1e-3, 0.1, 10.0):  # of one step
        for _ in range(60):
            took = budget * seconds
            budget = single.next_budget(budget, took)
        assert took <= max(single.SLICE, seconds)
