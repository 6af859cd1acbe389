"""Runs and exports with invalid arguments work or raise a one-line message."""

from __future__ import annotations

import inspect
import math
from pathlib import Path
from typing import Any

import pytest

import mbs_fmu as mbs
from mbs_fmu.fmi import export as exporting
from mbs_fmu.run.errors import SimulationError
from support.generators.invalid_values import odd_values, simple

VALUES = list(odd_values(simple()))
TINY = ("small",)  #: such short steps would be too many


@pytest.fixture(scope="module")
def model() -> mbs.Model:
    m = simple()
    m.motor("drive", on="arm", torque=m.input("torque", start=0.0))
    return m


def tried(call: Any, **arguments: Any) -> None:
    """Message of a ModelError of one line, or result of the run."""
    try:
        call(**arguments)
    except mbs.ModelError as error:
        assert "\n" not in str(error), error
    except SimulationError:
        pass


@pytest.mark.parametrize("argument", [name for name in inspect.signature(mbs.simulate).parameters if name != "model"])
def test_invalid_arguments_of_runs_are_refused(model: mbs.Model, argument: str) -> None:
    """No invalid value of any argument raises another exception than ModelError."""
    for name, value in odd_values(model).items():
        if argument == "stop_time" and isinstance(value, (int, float)) and math.inf > value > 10:
            continue  # a long run
        if name not in TINY:
            tried(mbs.simulate, model=model, **{"stop_time": 0.1, argument: value})


@pytest.mark.parametrize("value", VALUES)
def test_invalid_numbers_of_runs_are_refused(model: mbs.Model, value: str) -> None:
    """No invalid values of inputs, parameters and start values raise another exception, in single runs and batches."""
    odd = odd_values(model)[value]
    fixed = {"model": model, "stop_time": 0.1, "method": "rk4", "step": 0.05}
    for what, name in {"inputs": "torque", "parameters": "c", "start": "arm.phi"}.items():
        tried(mbs.simulate, **fixed, **{what: {name: odd}})
        tried(lambda what=what, name=name: mbs.simulate(**fixed, batch=mbs.Batch(**{what: {name: odd}})))
        tried(lambda what=what: mbs.simulate(**fixed, batch=mbs.Batch(**{what: odd})))


@pytest.mark.quick
@pytest.mark.usefixtures("in_plain_python")
@pytest.mark.parametrize("interval", [5e-324, 1e-300, 1e-17])
def test_rows_below_the_resolution_of_time_are_refused(interval: float, tmp_path: Path) -> None:
    """Output intervals below the resolution of time are refused in advance by runs, batches and exports."""
    m = mbs.Model("clock")
    m.state("x", 1.0)
    for settings in ({}, {"batch": mbs.Batch(size=2)}, {"start_time": 1e9}):
        with pytest.raises(mbs.ModelError, match=rf"^output_interval is {interval} s, but times near 2e\+09 s"):
            mbs.simulate(m, 2e9, output_interval=interval, **settings)  # type: ignore[arg-type]
    with pytest.raises(mbs.ModelError, match=rf"^communication_step is {interval} s, but .* 10 s are 1\.8e-15 s"):
        mbs.export(m, tmp_path / "clock.fmu", communication_step=interval)
    least = 2.0**-51  # two steps of the times after 1 s
    result = mbs.simulate(m, 1.0 + 3 * least, start_time=1.0, method="rk4", step=least, output_interval=least)
    assert list(result.time) == [1.0, 1.0 + least, 1.0 + 2 * least, 1.0 + 3 * least]


@pytest.mark.quick
@pytest.mark.usefixtures("in_plain_python")
def test_results_larger_than_memory() -> None:
    """A result of 1e12 rows of two numbers, 16 TB, is a ModelError with its size, before anything is allocated."""
    m = mbs.Model("clock")
    m.state("x", 1.0)
    with pytest.raises(mbs.ModelError, match=r"result of 1\d{12} rows takes .* GB: give a larger output_int"):
        mbs.simulate(m, 1.0, output_interval=1e-12)
    with pytest.raises(mbs.ModelError, match=r"result of 2 members with .* rows takes .* GB: .*, or fewer members"):
        mbs.simulate(m, 1.0, output_interval=1e-12, batch=mbs.Batch(size=2))


@pytest.mark.parametrize("argument", list(inspect.signature(mbs.export).parameters))
def test_invalid_arguments_of_exports_are_refused(
    model: mbs.Model, argument: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """No invalid argument raises another exception; everything is checked before compilation."""

    def end(*arguments: Any, **named: Any) -> None:
        raise mbs.ModelError("all is checked")

    monkeypatch.setattr(exporting, "compiled", end)
    for kind in ("python", "native"):
        for value in odd_values(model).values():
            all_arguments = {"model": model, "path": tmp_path / "test.fmu", "kind": kind, argument: value}
            with pytest.raises(mbs.ModelError):
                mbs.export(**all_arguments)
