"""Choices of variables (`variables=`): shorter descriptions of the same FMU."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import fmpy
import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.fmi.description.choice import described_table
from mbs_fmu.fmi.description.description import checked_description
from mbs_fmu.fmi.description.variables import variable_table
from mbs_fmu.fmi.experiment import Experiment
from mbs_fmu.run.bundled import bundled_model
from mbs_fmu.run.step_control import StepControl
from support.models.fmu_models import MODELS

RATES = {"gyro": "a.u[?]", "linkage": "crank.w", "pounder": "mass.v"}  #: a rate of each model, which "outputs" lacks


def experiment(variables: Any) -> Experiment:
    return Experiment(1.0, 0.01, StepControl.of("rk4", 1e-3), 1000, variables=variables)


def references(description: str) -> dict[str, str | None]:
    """Value references by name."""
    variables = ET.fromstring(description).find("ModelVariables")
    assert variables is not None
    return {v.get("name", ""): v.get("valueReference") for v in variables}


@pytest.mark.quick
@pytest.mark.parametrize("chosen_by", ["outputs", "patterns"])
@pytest.mark.parametrize(("kind", "fmi"), [("python", "2.0"), ("native", "2.0"), ("native", "3.0")])
@pytest.mark.parametrize("model", RATES)
def test_chosen_descriptions_are_valid_and_keep_references(model: str, kind: str, fmi: str, chosen_by: str) -> None:
    """Listed variables have the references of the whole description; states, inputs and outputs are all there."""
    program = compile_model(MODELS[model]())
    choice = "outputs" if chosen_by == "outputs" else (RATES[model], "*.p*")
    whole, chosen = (
        references(checked_description(program, experiment(c), "test", kind, fmi)) for c in ("all", choice)
    )
    assert chosen.items() < whole.items()
    kept = {row.name for row in described_table(program, experiment(choice))}
    for row in variable_table(program):
        if row.causality != "local" or row.role in ("coordinate", "momentum", "state", "derivative"):
            assert row.name in kept, row.name
    rates = [row for row in variable_table(program) if row.role == "rate"]
    assert sum(row.name in kept for row in rates) == {"outputs": 0}.get(chosen_by, 6 if model == "gyro" else 1)


def test_refusals() -> None:
    """A pattern without a match, other arguments, and sets of variables that are left out are refused."""
    m = bundled_model("governor", "governor")
    for given, message in (
        (["arn.*"], r"variables: no variable matches 'arn\.\*' \(did you mean"),
        ("few", r"variables: no variable matches 'few'"),
        ("output", r"variables: no variable matches 'output' \(did you mean 'outputs'"),
        ([], r"variables is \[\]: use 'all', 'outputs', or patterns"),
        (5, "variables is 5: use 'all', 'outputs', or patterns"),
    ):
        with pytest.raises(mbs.ModelError, match=message):
            mbs.export(m, "never.fmu", variables=given)  # type: ignore[arg-type]
    with pytest.raises(mbs.ModelError, match=r"set 'fast' gives 'shaft\.w', which variables leaves out"):
        mbs.export(m, "never.fmu", variables="outputs", parameter_sets={"fast": {"shaft.w": 9.0}})


def test_a_chosen_python_fmu_runs_as_the_whole(tmp_path: Path) -> None:
    """Start values, outputs and states of a shorter description are those of the whole; the rest is not listed."""
    runs = []
    for choice in ("all", ["arm.*"]):
        path = mbs.export(
            bundled_model("governor", "governor"), tmp_path / "governor.fmu", method="rk4", step=1e-3, stop_time=0.2,
            variables=choice,
        )  # fmt: skip
        names = [v.name for v in fmpy.read_model_description(str(path)).modelVariables]
        runs.append(fmpy.simulate_fmu(str(path), stop_time=0.2, start_values={"torque": 0.5}, output_interval=0.01))
        assert ("shaft.w" in names) == (choice == "all") and "arm.q[1]" in names
    for name in runs[1].dtype.names:
        assert np.array_equal(runs[0][name], runs[1][name]), name


@pytest.mark.slow
@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
def test_libraries_do_not_depend_on_the_choice(tmp_path: Path, fmi: str) -> None:
    """Every byte of the libraries is equal, and a run in model exchange has the same bits."""
    pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
    choices: tuple[str | list[str], ...] = ("all", "outputs", ["crank.*"])
    libraries, runs = [], []
    for k, choice in enumerate(choices):
        path = mbs.export(
            bundled_model("four_bar", "four_bar"), tmp_path / f"{k}" / "four_bar.fmu", "native", fmi=fmi,
            platforms="host", stop_time=0.5, reference=False, variables=choice,
        )  # fmt: skip
        with zipfile.ZipFile(path) as archive:
            (library,) = (name for name in archive.namelist() if name.startswith("binaries/"))
            libraries.append(archive.read(library))
        runs.append(fmpy.simulate_fmu(str(path), stop_time=0.5, fmi_type="ModelExchange", output_interval=0.05))
    assert libraries[0] == libraries[1] == libraries[2]
    for run in runs[1:]:
        for name in run.dtype.names:
            assert np.array_equal(run[name], runs[0][name]), name
