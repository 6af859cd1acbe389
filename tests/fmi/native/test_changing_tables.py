"""Native FMUs whose tables get other values, beside FMUs that are exported with these."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fmpy import extract, read_model_description
from fmpy.fmi2 import FMU2Model
from fmpy.fmi3 import FMU3Model

import mbs_fmu as mbs
from support.comparisons import assert_close
from support.hosts.native_instances import exchange, guest, set_states
from support.models.changing_tables import CURVE, OTHER, POINTS, motor_curve

pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
pytestmark = pytest.mark.slow
ELEMENTS = [f"torque_curve[{k}]" for k in range(1, 6)]
HOW: dict[str, Any] = {"method": "rk4", "step": 0.005, "stop_time": 1.0, "communication_step": 0.01}
#: Of the differences: their operands are at most 50 in size, and some 50 operations lead to each.
TOLERANCE = 50.0 * 50.0 * float(np.finfo(float).eps)


@pytest.fixture(scope="module")
def fmus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[tuple[str, bool], Path]]:
    """FMUs by version, with the other curve (True) or the usual one."""
    folder = tmp_path_factory.mktemp("curves")
    yield {
        (fmi, other): mbs.export(
            motor_curve(OTHER if other else CURVE), folder / f"{fmi}{other}" / "motor_curve.fmu", "native", fmi=fmi,
            platforms="host", reference=False, **HOW,
        )
        for fmi in ("2.0", "3.0") for other in (False, True)
    }  # fmt: skip


@contextmanager
def exchange3(path: Path) -> Iterator[tuple[FMU3Model, dict[str, int]]]:
    """An initialized instance for model exchange by FMI 3.0, and its value references by name."""
    folder, description = str(extract(str(path))), read_model_description(str(path))
    model = FMU3Model(
        guid=description.guid, unzipDirectory=folder, instanceName="exchange",
        modelIdentifier=description.modelExchange.modelIdentifier,
    )  # fmt: skip
    model.instantiate()
    model.enterInitializationMode()
    model.exitInitializationMode()
    yield model, {v.name: v.valueReference for v in description.modelVariables}
    model.freeInstance()
    shutil.rmtree(folder, ignore_errors=True)


OUTPUTS = ["torque", "stiffness", "work", "der(arm.p)", "arm.w"]


@contextmanager
def running(path: Path, fmi: str) -> Iterator[tuple[Any, dict[str, int], list[int]]]:
    """An instance for model exchange in continuous-time mode, references by name, and those of the values."""
    with (exchange if fmi == "2.0" else exchange3)(path) as (instance, references):
        if fmi == "2.0":
            instance.exitInitializationMode()
        instance.enterContinuousTimeMode()
        yield instance, references, [references[name] for name in (ELEMENTS if fmi == "2.0" else ["torque_curve"])]


def put(instance: Any, references: list[int], values: list[float]) -> None:
    """Set the values of the table in event mode."""
    instance.enterEventMode()
    (instance.setReal if isinstance(instance, FMU2Model) else instance.setFloat64)(references, values)
    instance.enterContinuousTimeMode()


def read(instance: Any, references: list[int]) -> list[float]:
    return list((instance.getReal if isinstance(instance, FMU2Model) else instance.getFloat64)(references))


def answers(path: Path, fmi: str, values: list[float] | None, angles: np.ndarray) -> list[list[float]]:
    """Outputs and derivatives at some states; values: set while the FMU runs, after the first state."""
    with running(path, fmi) as (instance, references, curve):
        rows = []
        for k, angle in enumerate([0.9, *angles]):
            if k == 1 and values is not None:
                put(instance, curve, values)
            set_states(instance, np.array([angle, 0.1 - angle]))
            rows.append(read(instance, [references[name] for name in OUTPUTS]))
        return rows[1:]


def test_values_of_a_running_fmu_give_the_bits_of_a_new_export(fmus: dict[tuple[str, bool], Path]) -> None:
    """In model exchange at any state, below, between, at and above the points; FMI 2.0 and 3.0 agree."""
    angles = np.array([*POINTS, -1.7, -0.4, 0.3, 1.1, 2.6])
    found, expected, before = (
        [answers(fmus[fmi, other], fmi, values, angles) for fmi in ("2.0", "3.0")]
        for other, values in ((False, OTHER), (True, None), (False, None))
    )
    assert found[0] == found[1] == expected[0] == expected[1]
    assert before[0] == before[1] != found[0]


def test_steps_with_other_values_are_those_of_simulate(fmus: dict[tuple[str, bool], Path]) -> None:
    """In co-simulation by FMI 3.0, with values that are set before the start, and between two steps."""
    given = mbs.simulate(
        motor_curve(), 0.25, method="rk4", step=0.0078125 / 2, output_interval=0.0078125,
        parameters={"torque_curve": OTHER},
    )  # fmt: skip
    names = given.columns[1:]
    with guest(fmus["3.0", False]) as before, guest(fmus["3.0", False]) as later, guest(fmus["3.0", True]) as new:
        before.start(torque_curve=np.array(OTHER))  # type: ignore[arg-type]
        later.start()
        new.start()
        later.set(torque_curve=np.array(OTHER))
        for row in range(1, 33):
            for one in (before, later, new):
                one.step()
            assert np.array_equal(before.get(*names), new.get(*names))
            assert np.array_equal(later.get(*names), new.get(*names))
            assert np.array_equal(new.get(*names), given.data[row, 1:])
        with pytest.raises(Exception, match="status 3"):
            new.set(torque_curve=np.array(OTHER[:4]))
        assert "4 numbers for 'torque_curve', which has 5" in new.messages[-1]


@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
def test_systems_take_the_values_as_start_values(fmus: dict[tuple[str, bool], Path], fmi: str) -> None:
    """By the name of the array in both versions, to the bits of an FMU that is exported with these."""
    rows = []
    for other, values in ((False, {"torque_curve": OTHER}), (True, {})):
        system = mbs.System("one")
        system.add("motor", fmus[fmi, other], values)
        rows.append(system.run(0.25, 1 / 128).data)
    assert np.array_equal(*rows)


def test_directional_derivatives_by_values_are_weights(fmus: dict[tuple[str, bool], Path]) -> None:
    """Torque, slope and area of a table are linear in its values, so that derivatives by these equal differences."""
    shares = np.array([0.5, -1.5, 2.0, 0.25, 1.0])
    for angle in (-1.4, -0.6, 0.0, 0.4, 1.2, 2.3):
        with running(fmus["2.0", False], "2.0") as (one, references, curve):
            set_states(one, np.array([angle, 0.2]))
            unknowns = [references[name] for name in OUTPUTS[:4]]
            found = one.getDirectionalDerivative(unknowns, curve, shares.tolist())
            ends = []
            for sign in (1.0, -1.0):
                put(one, curve, (np.array(CURVE) + sign * shares).tolist())
                ends.append(np.array(read(one, unknowns)))
        assert_close(found, 0.5 * (ends[0] - ends[1]), TOLERANCE, f"derivatives at {angle}")
        with running(fmus["3.0", False], "3.0") as (two, references, curve):
            set_states(two, np.array([angle, 0.2]))
            unknowns = [references[name] for name in OUTPUTS[:4]]
            assert list(two.getDirectionalDerivative(unknowns, curve, shares.tolist(), 4)) == list(found)
            weights = [two.getAdjointDerivative([unknown], curve, [1.0], 5) for unknown in unknowns]
        assert_close(np.array(weights) @ shares, found, TOLERANCE, f"adjoints at {angle}")
