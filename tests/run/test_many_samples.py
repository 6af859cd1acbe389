"""Samples, and parts of steps, count as steps: no call goes on for ever, and slices change no bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.kernels.constants import MOST_PARTS
from mbs_fmu.record.blocks import HeadNumbers
from mbs_fmu.run import single
from mbs_fmu.run.runtime import Runtime
from support.c_programs import compiler, run_command
from support.cases import tiers
from support.hosts.python_slaves import Slaves, messages, start

pytestmark = pytest.mark.usefixtures("plain_by_default")

WAYS: dict[str, dict[str, Any]] = {
    "rk4": {"method": "rk4", "step": 0.5},
    "dopri5": {"method": "dopri5"},
    "abm6": {"method": "abm6", "step": 0.5},
    "gauss4": {"method": "gauss4", "step": 0.5},
    "rodas5p": {"method": "rodas5p"},
}


def counter(watched: bool = False) -> mbs.Model:
    """A signal that counts its samples."""
    m = mbs.Model("counter")
    n = m.sampled("n", m.parameter("period", 0.1), lambda n: n + 1.0)
    if watched:
        m.event("many", n - 1e300)
    return m


class Stop(Exception):
    """Raised between two slices, as Ctrl-C raises KeyboardInterrupt."""


@pytest.mark.parametrize("watched", [False, True])
@pytest.mark.parametrize("way", tiers(WAYS, usual=1))
def test_a_run_with_a_tiny_period_can_be_interrupted(
    monkeypatch: pytest.MonkeyPatch, way: dict[str, Any], watched: bool
) -> None:
    """Kernels return after a number of parts of a step, although they have not made the step."""
    records: list[np.ndarray] = []

    def stop(budget: int, took: float) -> int:
        raise Stop

    class Noted(single._Loop):
        def __init__(self, runtime: Runtime, R: np.ndarray, *rest: Any) -> None:
            records.append(R)
            super().__init__(runtime, R, *rest)

    monkeypatch.setattr(single, "_Loop", Noted)
    monkeypatch.setattr(single, "next_budget", stop)
    with pytest.raises(Stop):
        mbs.simulate(counter(watched), 1.0, output_interval=0.5, parameters={"period": 1e-15}, **way)
    assert (
        0.0 < records[0][HeadNumbers.time] < 1e-10 and records[0][HeadNumbers.steps] <= MOST_PARTS + single.FIRST_BUDGET
    )


@pytest.mark.parametrize("budget", tiers([1, 100], usual=1))
@pytest.mark.parametrize("way", tiers({name: WAYS[name] for name in ("rk4", "abm6", "gauss4")}, usual=1))
def test_slices_within_steps_change_no_bit(monkeypatch: pytest.MonkeyPatch, way: dict[str, Any], budget: int) -> None:
    """Rows and statistics are the same for any number of slices, with more samples in a step than a slice has."""
    m = counter()
    x = m.state("x", lambda x: 1e-3 * mbs.signal("n") - x)
    m.output("y", 2.0 * x)
    options: dict[str, Any] = {**way, "output_interval": 0.7, "parameters": {"period": 0.49 / MOST_PARTS}}
    whole = mbs.simulate(m, 0.7, **options)
    monkeypatch.setattr(single, "FIRST_BUDGET", budget)
    monkeypatch.setattr(single, "next_budget", lambda budget, took: budget)
    sliced = mbs.simulate(m, 0.7, **options)
    assert np.array_equal(sliced.data, whole.data) and sliced.statistics == whole.statistics
    assert sliced["n"][-1] == np.ceil(0.7 / 0.49 * MOST_PARTS)


@pytest.mark.parametrize("method", tiers(["rk4", "dopri5", "abm6"], usual=1))
def test_an_fmu_refuses_a_step_with_too_many_samples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    """The step is taken back with a message; with a longer period the FMU goes on."""
    settings = {} if method == "dopri5" else {"step": 0.1}
    slave = Slaves(tmp_path, monkeypatch)(counter(), method, max_internal_steps=100, **settings)
    start(slave, {"period": 1e-15})
    assert not slave.do_step(0.0, 0.1)
    assert "takes more than 100 internal steps" in messages(slave) and slave._view[HeadNumbers.time] == 0.0


def test_firmware_refuses_a_step_with_too_many_samples(tmp_path: Path) -> None:
    """A step of 1e9 s returns with a status, at the time before it; shorter steps go on."""
    mbs.export_c(counter(), tmp_path, method="rk4", events="steps")
    (tmp_path / "main.c").write_text(
        """#include <stdio.h>
#include "counter.h"
int main(void) {
    static counter m;
    counter_defaults(&m);
    if (counter_init(&m)) return 1;
    const int status = counter_step(&m, 1e9);
    printf("%s; ", counter_status(status));
    printf("%g ", m.R[COUNTER_TIME]);
    if (counter_step(&m, 0.05)) return 1;
    printf("%g", m.R[COUNTER_TIME]);
    return 0;
}
""",
        encoding="utf-8",
    )
    program = tmp_path / "main"
    run_command([*compiler(), "-O1", tmp_path / "main.c", tmp_path / "counter.c", "-o", program, "-lm"])
    assert run_command([program]) == "the step contains too many samples; 0 0.05"


@pytest.mark.parametrize("way", tiers(WAYS, usual=1))
def test_periods_that_time_does_not_feel_are_refused(way: dict[str, Any]) -> None:
    """At once, if the period is within four roundings of the last time; from 1e-15 s on, 1 s is felt."""
    for start_time, stop, period in ((0.0, 1.0, 1e-17), (0.0, 1e9, 1e-7), (-1e6, 1.0, 1e-10)):
        with pytest.raises(mbs.SimulationError, match=rf"sampling period of {period:g} s is lost in the rounding"):
            mbs.simulate(
                counter(), stop, start_time=start_time, output_interval=stop, parameters={"period": period}, **way
            )
    long = {name: 5e3 if name == "step" else value for name, value in way.items()}
    long |= {"output_interval": 1e4, "parameters": {"period": 1e4}}
    assert mbs.simulate(counter(), 1e9 + 1e5, start_time=1e9, **long)["n"][-1] == 10.0


def test_an_fmu_refuses_a_period_that_its_time_does_not_feel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the period and the time."""
    slave = Slaves(tmp_path, monkeypatch)(counter(), "rk4", step=0.1)
    start(slave, {"period": 1e-8}, time=1e9)
    assert not slave.do_step(1e9, 0.1)
    assert "sampling period of 1e-08 s is lost in the rounding of the times at t = 1e+09 s" in messages(slave)
