"""Whatever a run or an export is given, it works or says in one line what is wrong."""

from __future__ import annotations

import inspect
import math
from pathlib import Path
from typing import Any

import pytest
from odd import odd_values, simple

import mbs_fmu as mbs
from mbs_fmu.errors import SimulationError
from mbs_fmu.fmi import export as exporting

VALUES = list(odd_values(simple()))
TINY = ("small",)  #: steps so short would be many


@pytest.fixture(scope="module")
def model() -> mbs.Model:
    m = simple()
    m.motor("drive", on="arm", torque=m.input("torque", start=0.0))
    return m


def tried(call: Any, **given: Any) -> None:
    """ModelError of one line, or a run."""
    try:
        call(**given)
    except mbs.ModelError as error:
        assert "\n" not in str(error), error
    except SimulationError:
        pass


@pytest.mark.parametrize("argument", [name for name in inspect.signature(mbs.simulate).parameters if name != "model"])
def test_arguments_of_runs(model: mbs.Model, argument: str) -> None:
    """No inner error, whichever argument it is."""
    for name, value in odd_values(model).items():
        if argument == "stop_time" and isinstance(value, (int, float)) and math.inf > value > 10:
            continue  # a long run
        if name not in TINY:
            tried(mbs.simulate, model=model, **{"stop_time": 0.1, argument: value})


@pytest.mark.parametrize("value", VALUES)
def test_numbers_of_runs(model: mbs.Model, value: str) -> None:
    """No inner error from what inputs, parameters and start values are given, in single runs and batches."""
    odd = odd_values(model)[value]
    fixed = {"model": model, "stop_time": 0.1, "method": "rk4", "step": 0.05}
    for what, name in {"inputs": "torque", "parameters": "c", "start": "arm.phi"}.items():
        tried(mbs.simulate, **fixed, **{what: {name: odd}})
        tried(lambda what=what, name=name: mbs.simulate(**fixed, batch=mbs.Batch(**{what: {name: odd}})))
        tried(lambda what=what: mbs.simulate(**fixed, batch=mbs.Batch(**{what: odd})))


@pytest.mark.parametrize("argument", list(inspect.signature(mbs.export).parameters))
def test_arguments_of_exports(model: mbs.Model, argument: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No inner error, and nothing is compiled before all is checked; what is fine ends where compiling begins."""

    def end(*arguments: Any, **named: Any) -> None:
        raise mbs.ModelError("all is checked")

    monkeypatch.setattr(exporting, "compiled", end)
    for kind in ("python", "native"):
        for value in odd_values(model).values():
            given = {"model": model, "path": tmp_path / "test.fmu", "kind": kind, argument: value}
            with pytest.raises(mbs.ModelError):
                mbs.export(**given)
