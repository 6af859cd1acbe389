"""Array parameters in descriptions of FMUs and in Python FMUs, whose kernels run as plain Python."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.fmi.description.description import checked_description
from mbs_fmu.fmi.description.variables import published, variable_table
from mbs_fmu.fmi.experiment import MOST_STEPS, Experiment
from mbs_fmu.fmi.naming import Naming
from mbs_fmu.fmi.related import require_scalars, usable_sets
from mbs_fmu.record.program import Program
from mbs_fmu.run.step_control import StepControl
from support.hosts.python_slaves import Slaves, everything, set_values, start
from support.models.changing_tables import CURVE, OTHER, motor_curve

ELEMENTS = [f"torque_curve[{k}]" for k in range(1, 6)]


@cache
def compiled() -> Program:
    return compile_model(motor_curve())


def described(fmi: str, arrays: bool, naming: Naming) -> dict[str, ET.Element]:
    """Elements of the description's parameters, by name."""
    program = compiled() if arrays else replace(compiled(), vectors={})
    experiment = Experiment(1.0, 0.01, StepControl.of("rk4", 1e-3), MOST_STEPS, naming)
    root = ET.fromstring(checked_description(program, experiment, "test", "native", fmi).partition("?>")[2])
    variables = root.find("ModelVariables")
    assert variables is not None
    return {v.get("name", ""): v for v in variables if v.get("causality") == "parameter"}


@pytest.mark.quick
def test_an_array_parameter_is_one_array_variable_of_fmi_3() -> None:
    """With its start values; otherwise each element is a variable. An array of which an element determines masses or
    geometry is fixed as a whole, the values of a table for a torque are tunable.
    """
    found = described("3.0", True, "structured")
    assert list(found) == ["com", "torque_curve"]
    for name, values, variability in (("com", [0.0, 0.0, -0.3], "fixed"), ("torque_curve", CURVE, "tunable")):
        (dimension,) = found[name]
        assert dimension.get("start") == str(len(values)) and found[name].get("variability") == variability
        assert list(map(float, found[name].get("start", "").split())) == values
    for fmi in ("2.0", "3.0"):
        assert list(described(fmi, False, "structured"))[3:] == ELEMENTS
        assert list(described(fmi, False, "flat"))[3:] == [f"torque_curve_{k}" for k in range(1, 6)]


@pytest.mark.quick
def test_outputs_of_tables_depend_on_all_values() -> None:
    """The dependencies of a description then have the array, or all of its elements."""
    rows = {row.name: row for row in variable_table(compiled())}
    for name in ("torque", "stiffness", "work"):
        assert {rows[element].slot for element in ELEMENTS} <= set(rows[name].reads or ())
        assert rows["com[1]"].slot not in (rows[name].reads or ())


@pytest.mark.quick
def test_a_python_fmu_with_other_values_is_that_of_a_model_with_these(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the bit: set before the start, or between two steps while the FMU runs."""
    slaves, other = Slaves(tmp_path, monkeypatch), dict(zip(ELEMENTS, OTHER, strict=True))
    one, two = (slaves(motor_curve(), "rk4", step=0.01) for _ in range(2))
    start(one, other)
    start(two)
    set_values(two, other)
    given = mbs.simulate(motor_curve(), 0.03, method="rk4", step=0.01, output_interval=0.01, parameters={
        "torque_curve": OTHER
    })  # fmt: skip
    for k in range(3):
        for slave in (one, two):
            assert slave.do_step(0.01 * k, 0.01)
        assert everything(one) == everything(two)
    names = [row.name for row in one._table]
    last = dict(zip(names, everything(one), strict=True))
    assert [last[name] for name in given.columns[1:]] == given.data[-1, 1:].tolist()


@pytest.mark.quick
def test_parameter_sets_take_arrays() -> None:
    """As their elements; FMI 3.0 has no sets for its arrays, and the message says what to do."""
    m, rows = motor_curve(), variable_table(compiled())
    sets = usable_sets({"soft": {"torque_curve": np.array(OTHER)}}, m.elements, rows, rows)
    assert sets == {"soft": dict(zip(ELEMENTS, OTHER, strict=True))}
    require_scalars(sets, published(rows, arrays=False))
    with pytest.raises(mbs.ArgumentError, match=r"'soft' gives 'torque_curve', an array .* use arrays=False"):
        require_scalars(sets, published(rows, arrays=True))
    with pytest.raises(mbs.ArgumentError, match="'torque_curve' has 5 elements and gets 2 values: give 5"):
        usable_sets({"soft": {"torque_curve": [1.0, 2.0]}}, m.elements, rows, rows)
