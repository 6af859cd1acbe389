"""The FMUs in other importers: libcosim and Ecos give the results of the package's own co-simulation."""

from __future__ import annotations

import csv
import importlib.metadata
import importlib.util
import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import fmpy
import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.command_line.demo import OUTPUTS, SET_POINT
from mbs_fmu.fmi.naming import Naming
from mbs_fmu.run.bundled import bundled_model
from support.comparisons import assert_close
from support.hosts.fmus import Builder, Host, python
from support.models.fmu_models import METHODS, MODELS

SIZE, COUNT = 0.01, 200
SPAN = SIZE * COUNT
TORQUE = 0.8
INPUTS = {"torque": TORQUE}
TOLERANCE = 1e-11  #: round-off of the clocks (steps of 0.01 s, cut at different last bits) over 2000 internal steps
PRINTED = 0.5000001e-6  #: the program ecos writes six decimals


@pytest.fixture(scope="session")
def alone() -> np.ndarray:
    """Rows of the governor's outputs with constant torque, at every communication point."""
    result = mbs.simulate(
        bundled_model("governor", "governor"), SPAN, inputs=INPUTS, output_interval=SIZE, **METHODS["rk4"]
    )
    return np.column_stack([result[name] for name in OUTPUTS])


@pytest.fixture(scope="session")
def coupled(fmu: Builder) -> np.ndarray:
    """The same, coupled to the regulator as these importers exchange: all outputs are read before any input is set, so
    that the torque, which depends on the speed without a delay, is one communication step late.
    """
    with Host(fmu("governor")) as plant, Host(fmu("speed_regulator")) as regulator:

        def exchange() -> None:
            speed, torque = plant.get("speed"), regulator.get("torque")
            regulator.set({"speed": speed[0]})
            plant.set({"torque": torque[0]})

        plant.start()
        regulator.start({"set_point": SET_POINT})
        exchange()
        rows = []
        for k in range(COUNT + 1):
            exchange()
            rows.append(plant.get(*OUTPUTS))
            for host in (plant, regulator):
                host.time = k * SIZE
                host.step(SIZE)
        return np.array(rows)


def built(fmu: Builder, model: str, kind: str, fmi: str) -> Path:
    """An FMU that all tests share; skips where native FMUs cannot be built."""
    if kind == "native":
        pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
    return fmu(model, "rk4", kind, fmi)


# -- libcosim ----------------------------------------------------------------------------------------

LIBCOSIM = """
import json, os, sys
from libcosimpy.CosimExecution import CosimExecution
from libcosimpy.CosimObserver import CosimObserver
from libcosimpy.CosimSlave import CosimLocalSlave

outputs, size, count, inputs, plant, *regulator = json.loads(sys.argv[1])
execution = CosimExecution.from_step_size(step_size=round(size * 1e9))
index = execution.add_local_slave(CosimLocalSlave(fmu_path=plant, instance_name="governor"))
observer = CosimObserver.create_last_value()
execution.add_observer(observer)
reference = {v.name.decode(): v.reference for v in execution.slave_variables(index)}
if regulator:
    other = execution.add_local_slave(CosimLocalSlave(fmu_path=regulator[0], instance_name="regulator"))
    theirs = {v.name.decode(): v.reference for v in execution.slave_variables(other)}
    execution.connect_real_variables(index, reference["speed"], other, theirs["speed"])
    execution.connect_real_variables(other, theirs["torque"], index, reference["torque"])
else:
    for name, value in inputs.items():
        execution.real_initial_value(index, reference[name], value)
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

outputs, size, count, inputs, plant, *regulator = json.loads(sys.argv[1])
with EcosSimulationStructure() as structure:
    structure.add_model("governor", plant)
    if regulator:
        structure.add_model("regulator", regulator[0])
        structure.make_real_connection("governor::speed", "regulator::speed")
        structure.make_real_connection("regulator::torque", "governor::torque")
    else:
        structure.add_parameter_set("start", {f"governor::{name}": value for name, value in inputs.items()})
    with EcosSimulation(structure=structure, step_size=size) as simulation:
        simulation.init(parameter_set=None if regulator else "start")
        rows = []
        for _ in range(count):
            simulation.step()
            rows.append([simulation.get_real(f"governor::{name}") for name in outputs])
        simulation.terminate()
print("ROWS", json.dumps(rows), flush=True)
"""


def tbb_path() -> str:
    """Library path with the folder of the tbb distribution; skips without it."""
    try:
        files = importlib.metadata.files("tbb") or []
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("ecospy needs the package tbb")
    folder = next(Path(f.locate()).resolve().parent for f in files if f.name.startswith("libtbb.so"))  # type: ignore[arg-type]
    return os.pathsep.join(f for f in (str(folder), os.environ.get("LD_LIBRARY_PATH", "")) if f)


def require(importer: str) -> Path:
    """Folder of an importer's package; skips without it."""
    module_spec = importlib.util.find_spec(importer)
    if module_spec is None or module_spec.origin is None:
        pytest.skip(f"{importer} is not installed")
    return Path(module_spec.origin).parent


def run(
    importer: str,
    *fmus: Path,
    outputs: Sequence[str] = OUTPUTS,
    inputs: Mapping[str, float] = INPUTS,
    count: int = COUNT,
) -> np.ndarray:
    """Rows of an FMU's outputs after each step, computed by an importer in a separate process."""
    require(importer)
    arguments = json.dumps([outputs, SIZE, count, inputs, *map(str, fmus)])
    if importer == "libcosimpy":
        done = python(LIBCOSIM, arguments)
    else:
        done = python(ECOS, arguments, LD_LIBRARY_PATH=tbb_path())
    assert done.returncode == 0, done.stderr
    return np.array(json.loads(next(line[5:] for line in done.stdout.splitlines() if line.startswith("ROWS "))))


# -- the same numbers --------------------------------------------------------------------------------

slow = pytest.mark.slow
IMPORTERS = (  # libcosim has no FMI 3.0
    pytest.param("libcosimpy", "python", "2.0"),
    pytest.param("libcosimpy", "native", "2.0", marks=slow),
    pytest.param("ecospy", "python", "2.0"),
    pytest.param("ecospy", "native", "2.0", marks=slow),
    pytest.param("ecospy", "native", "3.0", marks=slow),
)


@pytest.mark.parametrize(("importer", "kind", "fmi"), IMPORTERS)
def test_governor_alone(fmu: Builder, alone: np.ndarray, importer: str, kind: str, fmi: str) -> None:
    """With a torque set at the start every communication point is that of `simulate`."""
    rows = run(importer, built(fmu, "governor", kind, fmi))
    assert rows == pytest.approx(alone[1:], rel=TOLERANCE, abs=TOLERANCE)


@pytest.mark.parametrize(("importer", "kind", "fmi"), IMPORTERS)
def test_governor_coupled_to_its_regulator(
    fmu: Builder, coupled: np.ndarray, importer: str, kind: str, fmi: str
) -> None:
    """Both FMUs step with the values at the step's beginning: the results are those of the package's Jacobi order."""
    rows = run(importer, built(fmu, "governor", kind, fmi), built(fmu, "speed_regulator", kind, fmi))
    assert rows == pytest.approx(coupled[1:], rel=TOLERANCE, abs=TOLERANCE)


@pytest.mark.parametrize(("importer", "kind", "fmi"), IMPORTERS)
def test_governor_coupled_to_its_digital_regulator(fmu: Builder, importer: str, kind: str, fmi: str) -> None:
    """One sample per communication step: the results are those of the governor with the regulator inside."""
    rows = run(importer, built(fmu, "governor", kind, fmi), built(fmu, "digital_regulator", kind, fmi))
    one = mbs.simulate(bundled_model("governor", "digitally_governed"), SPAN, output_interval=SIZE, **METHODS["rk4"])
    wanted = np.column_stack([one[name] for name in OUTPUTS])
    assert_close(rows, wanted[1:], 1e-12 * np.abs(wanted).max(), "output", OUTPUTS, one.time[1:])


@slow
def test_vectors_as_scalars_in_ecos(tmp_path: Path) -> None:
    """Ecos reads no arrays of FMI 3.0; exported without arrays, all components of a vector are those of `simulate`."""
    pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
    path = mbs.export(
        MODELS["gyro"](), tmp_path / "gyro.fmu", "native", fmi="3.0", arrays=False, platforms="host", **METHODS["rk4"]
    )
    names = [f"place[{k}]" for k in (1, 2, 3)]
    rows = run("ecospy", path, outputs=names, inputs={"push": 0.3}, count=20)
    result = mbs.simulate(MODELS["gyro"](), 20 * SIZE, inputs={"push": 0.3}, output_interval=SIZE, **METHODS["rk4"])
    assert rows == pytest.approx(result["place"][1:], rel=TOLERANCE, abs=TOLERANCE)


@pytest.mark.parametrize(("importer", "kind", "fmi"), IMPORTERS)
def test_flat_names(tmp_path: Path, importer: str, kind: str, fmi: str) -> None:
    """With flat names, each unique, an importer finds all variables, and their values have the same bits."""
    require(importer)
    options: dict[str, Any] = {"arrays": False} if fmi == "3.0" else {}
    if kind == "native":
        pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
        options["platforms"] = "host"
    rows, names = {}, {}
    for naming in get_args(Naming):
        path = tmp_path / naming / "gyro.fmu"
        path.parent.mkdir()
        mbs.export(MODELS["gyro"](), path, kind, fmi=fmi, naming=naming, reference=False, **options, **METHODS["rk4"])
        variables = fmpy.read_model_description(str(path)).modelVariables
        names[naming] = [v.name for v in variables if v.type in ("Real", "Float64") and v.causality != "independent"]
        rows[naming] = run(importer, path, outputs=names[naming], inputs={"push": 0.3}, count=20)
    assert len(set(names["flat"])) == len(names["structured"]) > 50
    assert all(re.fullmatch(r"[A-Za-z_]\w*", name) for name in names["flat"])
    assert "place_1" in names["flat"] and "place[1]" in names["structured"]
    wrong = np.argwhere(rows["flat"] != rows["structured"])
    assert not len(wrong), f"{names['flat'][wrong[0][1]]} at t = {(wrong[0][0] + 1) * SIZE:g} s"


@slow
@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
def test_program_without_python(fmu: Builder, tmp_path: Path, fmi: str) -> None:
    """The program ecos, which has no Python, runs native FMUs; its table is that of `simulate`, as printed."""
    program = require("ecospy") / "binaries" / "ecos"
    if not program.is_file():
        pytest.skip("ecospy brings no program ecos here")
    program = Path(shutil.copy(program, tmp_path))
    program.chmod(0o755)  # the package does not mark it as executable
    path = built(fmu, "governor", "native", fmi)
    command = [str(program), "simulate", "--stopTime", "0.5", "--stepSize", str(SIZE), "--path", str(path)]
    done = subprocess.run(
        command, cwd=tmp_path, env={"LD_LIBRARY_PATH": tbb_path()}, capture_output=True, text=True, timeout=60,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    with open(tmp_path / "governor.csv", encoding="utf-8") as file:
        table = list(csv.DictReader(file, skipinitialspace=True))
    start = {"torque": bundled_model("governor", "governor").inputs["torque"].start}
    model = bundled_model("governor", "governor")
    result = mbs.simulate(model, 0.5, inputs=start, output_interval=SIZE, **METHODS["rk4"])
    assert len(table) > 40
    for row in table:
        k = round(float(row["time"]) / SIZE)
        for name in OUTPUTS:
            assert float(row[f"instance::{name}[REAL]"]) == pytest.approx(result[name][k], abs=PRINTED), (name, k)


PATHSIM = """
import json, sys, warnings
warnings.simplefilter("ignore")
from pathsim import Connection, Simulation
from pathsim.blocks import Constant
from pathsim.solvers import RKDP54
from pathsim_fmi.blocks import CoSimulationFMU, ModelExchangeFMU
path, torque, step, stop, exchange = json.loads(sys.argv[1])
block = ModelExchangeFMU(path, tolerance=1e-9) if exchange else CoSimulationFMU(path, dt=step)
solver = {"Solver": RKDP54, "tolerance_lte_abs": 1e-9, "tolerance_lte_rel": 1e-9} if exchange else {}
given = Constant(torque)
Simulation([block, given], [Connection(given, block[0])], dt=step, log=False, **solver).run(stop)
print("ROWS", json.dumps([float(x) for x in block.outputs.to_array()]))
"""


@slow
@pytest.mark.parametrize("exchange", [False, True])
def test_governor_in_pathsim(fmu: Builder, exchange: bool) -> None:
    """In model exchange the outputs are those of `simulate`, in co-simulation those one step later."""
    require("pathsim_fmi")
    path, stop = built(fmu, "governor", "native", "2.0"), 20 * SIZE
    done = python(PATHSIM, json.dumps([str(path), 0.8, SIZE, stop, exchange]))
    assert done.returncode == 0, done.stderr
    values = json.loads(next(line[5:] for line in done.stdout.splitlines() if line.startswith("ROWS ")))
    result = mbs.simulate(
        bundled_model("governor", "governor"), stop + SIZE, inputs={"torque": 0.8}, output_interval=SIZE, rtol=1e-10
    )
    names = [v.name for v in fmpy.read_model_description(str(path)).modelVariables if v.causality == "output"]
    row = 20 if exchange else 21
    assert values == pytest.approx([result[name][row] for name in names], rel=1e-6, abs=1e-6)
