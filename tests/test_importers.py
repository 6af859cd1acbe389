"""The FMUs in other people's importers: libcosim and Ecos give what our own co-simulation gives."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
from pathlib import Path

import numpy as np
import pytest

import mbs_fmu as mbs
from fmus import METHODS, Builder, python
from mbs_fmu.bundled import bundled_model
from mbs_fmu.demo import OUTPUTS, couple

SIZE, COUNT = 0.01, 200
SPAN = SIZE * COUNT
TORQUE = 0.8
TOLERANCE = 1e-11  #: round-off of the clocks (steps of 0.01 s cut at other last bits) over 2000 internal steps


@pytest.fixture(scope="session")
def fmu(tmp_path_factory: pytest.TempPathFactory) -> Builder:
    """FMUs by model and method, each built once."""
    return Builder(tmp_path_factory.mktemp("fmus"))


@pytest.fixture(scope="session")
def alone() -> list[float]:
    """The governor's outputs after a run with constant torque."""
    result = mbs.simulate(
        bundled_model("governor", "governor"), SPAN, inputs={"torque": TORQUE}, output_interval=SIZE, **METHODS["rk4"]
    )
    return [float(result[name][-1]) for name in OUTPUTS]


def coupled(fmu: Builder) -> np.ndarray:
    """Rows of the governor's outputs, coupled to the regulator in Jacobi order by our own master."""
    run = couple(fmu("governor"), fmu("speed_regulator"), SIZE, "jacobi", stop=SPAN)
    return np.column_stack([run[f"governor.{name}"] for name in OUTPUTS])


# -- libcosim ----------------------------------------------------------------------------------------

LIBCOSIM = """
import json, os, sys
from libcosimpy.CosimExecution import CosimExecution
from libcosimpy.CosimManipulator import CosimManipulator
from libcosimpy.CosimObserver import CosimObserver
from libcosimpy.CosimSlave import CosimLocalSlave

outputs, size, count, torque, plant, *regulator = json.loads(sys.argv[1])
execution = CosimExecution.from_step_size(step_size=round(size * 1e9))
observer = CosimObserver.create_last_value()
execution.add_observer(observer)
index = execution.add_local_slave(CosimLocalSlave(fmu_path=plant, instance_name="governor"))
reference = {v.name.decode(): v.reference for v in execution.slave_variables(index)}
if regulator:
    other = execution.add_local_slave(CosimLocalSlave(fmu_path=regulator[0], instance_name="regulator"))
    theirs = {v.name.decode(): v.reference for v in execution.slave_variables(other)}
    execution.connect_real_variables(index, reference["speed"], other, theirs["speed"])
    execution.connect_real_variables(other, theirs["torque"], index, reference["torque"])
else:
    execution.real_initial_value(index, reference["torque"], torque)
rows = []
for _ in range(count):
    assert execution.step()
    rows.append(list(observer.last_real_values(index, [reference[name] for name in outputs])))
print("ROWS", json.dumps(rows), flush=True)
"""

# -- Ecos --------------------------------------------------------------------------------------------

ECOS = """
import json, os, sys
from ecospy import EcosSimulation, EcosSimulationStructure

outputs, size, count, torque, plant, *regulator = json.loads(sys.argv[1])
with EcosSimulationStructure() as structure:
    structure.add_model("governor", plant)
    if regulator:
        structure.add_model("regulator", regulator[0])
        structure.make_real_connection("governor::speed", "regulator::speed")
        structure.make_real_connection("regulator::torque", "governor::torque")
    else:
        structure.add_parameter_set("start", {"governor::torque": torque})
    with EcosSimulation(structure=structure, step_size=size) as simulation:
        simulation.init(parameter_set=None if regulator else "start")
        rows = []
        for _ in range(count):
            simulation.step()
            rows.append([simulation.get_real(f"governor::{name}") for name in outputs])
        simulation.terminate()
print("ROWS", json.dumps(rows), flush=True)
"""


def tbb_folder() -> str:
    """Where the tbb distribution keeps its shared libraries; skips where it is not installed."""
    try:
        files = importlib.metadata.files("tbb") or []
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("ecospy needs the package tbb")
    return str(next(Path(f.locate()).resolve().parent for f in files if f.name.startswith("libtbb.so")))  # type: ignore[arg-type]


def run(importer: str, *fmus: Path) -> np.ndarray:
    """Rows of the governor's outputs after each step, computed by an importer in a process of its own.

    The process ends by os._exit, see `fmus.python`.
    """
    if importlib.util.find_spec(importer) is None:
        pytest.skip(f"{importer} is not installed")
    arguments = json.dumps([OUTPUTS, SIZE, COUNT, TORQUE, *map(str, fmus)])
    if importer == "libcosimpy":
        done = python(LIBCOSIM, arguments)
    else:
        folders = [tbb_folder(), os.environ.get("LD_LIBRARY_PATH", "")]
        done = python(ECOS, arguments, LD_LIBRARY_PATH=os.pathsep.join(f for f in folders if f))
    assert done.returncode == 0, done.stderr
    return np.array(json.loads(next(line[5:] for line in done.stdout.splitlines() if line.startswith("ROWS "))))


IMPORTERS = ("libcosimpy", "ecospy")


@pytest.mark.parametrize("importer", IMPORTERS)
def test_governor_alone(fmu: Builder, alone: list[float], importer: str) -> None:
    """A torque set at the start: the importer ends where `simulate` ends."""
    rows = run(importer, fmu("governor"))
    assert rows[-1] == pytest.approx(alone, rel=TOLERANCE, abs=TOLERANCE)


@pytest.mark.parametrize("importer", IMPORTERS)
def test_governor_coupled_to_its_regulator(fmu: Builder, importer: str) -> None:
    """Both step with the values of the step's beginning: at every communication point as in our Jacobi order."""
    rows = run(importer, fmu("governor"), fmu("speed_regulator"))
    assert rows == pytest.approx(coupled(fmu)[1:], rel=TOLERANCE, abs=TOLERANCE)
