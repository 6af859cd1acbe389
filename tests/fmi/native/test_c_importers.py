"""Native FMUs in importers in C that others wrote, where they are installed:

    FMI Library (https://github.com/modelon-community/fmi-library), of PyFMI and OpenModelica
    fmi4c (https://github.com/robbr48/fmi4c), of OMSimulator and Hopsan

Install each into a folder, with `include` and `lib`, and name the folders, several separated by colons:

    MBS_FMU_FMI_LIBRARY=FOLDER MBS_FMU_FMI4C=FOLDER pytest -m '' tests/fmi/native/test_c_importers.py

The programs are tests/fmi/native/hosts/{fmi_library,fmi4c}{2,3}.c.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import mbs_fmu as mbs
from support.c_programs import compiler, run_command
from support.hosts.c_hosts import only_linux
from support.hosts.fmus import Builder
from support.hosts.native_instances import TICK
from support.hosts.plain_importer import OK, Binary
from support.paths import HOSTS

pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
pytestmark = pytest.mark.slow

IMPORTERS = {"fmi_library": ("MBS_FMU_FMI_LIBRARY", "fmilib_shared"), "fmi4c": ("MBS_FMU_FMI4C", "fmi4c")}
INSTALLED = [
    pytest.param(name, Path(folder), id=f"{name}-{Path(folder).name}")
    for name, (variable, _) in IMPORTERS.items()
    for folder in os.environ.get(variable, "").split(os.pathsep)
    if folder
]
METHODS = {"governor": "rk4", "four_bar": "rk4", "bouncing_pendulum": "dopri5", "digitally_governed": "rk4",
           "quadruped": "rk4"}  # fmt: skip
EULER = 1e-5  #: s: steps of model exchange, which end before the first event
COUNT = 20
#: What they say about every FMU: FMI Library 3 does not know the icon of terminalsAndIcons.xml, and wants
#: fmiVersion="2.0" there, where FMI 2.0.4 takes the file of FMI 3.0; fmi4c says what it does.
KNOWN = "|".join((
    "'GraphicalRepresentation' in XML, skipping", "Skipping nested XML element '(CoordinateSystem|Icon)'",
    "Mismatch of attribute 'fmiVersion'", "Loading FMU!",
))  # fmt: skip


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Path, str], Path]:
    """Programs by importer, its folder and the version of FMI, each compiled once."""
    only_linux()
    folder, made = tmp_path_factory.mktemp("importers"), {}

    def get(name: str, prefix: Path, fmi: str) -> Path:
        if (name, prefix, fmi) not in made:
            program = folder / f"{name}{len(made)}.exe"
            paths = [f"-I{prefix / 'include'}", f"-I{prefix / 'include' / 'fmi'}", f"-L{prefix / 'lib'}"]
            linked = [f"-l{IMPORTERS[name][1]}", f"-Wl,-rpath,{prefix / 'lib'}", "-lm", "-ldl"]
            source = HOSTS / f"{name}{fmi[0]}.c"
            run_command([*compiler(), "-std=gnu11", "-O1", *paths, source, "-o", program, *linked])
            made[name, prefix, fmi] = program
        return made[name, prefix, fmi]

    return get


def expected(binary: Binary, exchange: bool, references: list[int]) -> list[float]:
    """Values after the same run by the plain importer."""
    instance = binary.instance(exchange).start()
    for k in range(COUNT):
        if not exchange:
            assert instance.step(k * TICK, TICK)[0] == OK
            continue
        x = np.array(instance.states()) + EULER * np.array(instance.rates())
        answers = instance.set_time((k + 1) * EULER), instance.set_states(tuple(x)), instance.completed()
        assert all(status == OK for status, _ in answers)
    values = list(instance.get(references)[1])
    instance.free()
    return values


EACH = pytest.mark.parametrize(("name", "prefix"), INSTALLED or [pytest.param("", Path(), marks=pytest.mark.skip)])
VERSIONS = pytest.mark.parametrize("fmi", ["2.0", "3.0"])


def assert_same_bits(program: Path, binary: Binary, exchange: bool) -> None:
    """Assert that an importer's program has no message and reads the values of the plain importer."""
    scalars = binary.references(lambda v: not v.dimensions)
    unpacked = binary.folder / "unpacked"
    unpacked.mkdir()
    kind, step = ("exchange", EULER) if exchange else ("cosimulation", TICK)
    arguments = [binary.path, unpacked, kind, repr(step), COUNT, len(binary.states), *scalars]
    run = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=60)
    messages = [line for line in run.stderr.splitlines() if line.strip() and not re.search(KNOWN, line)]
    assert (run.returncode, messages) == (0, [])
    assert [float(x) for x in run.stdout.split()] == expected(binary, exchange, scalars)


def require_version(prefix: Path, name: str, fmi: str) -> None:
    if name == "fmi_library" and fmi == "3.0" and not (prefix / "include" / "FMI3").is_dir():
        pytest.skip(f"{prefix} knows no FMI 3.0")


@EACH
@pytest.mark.parametrize("exchange", [True, False], ids=["exchange", "cosimulation"])
@VERSIONS
@pytest.mark.parametrize("model", METHODS)
def test_importers_give_the_same_bits(
    host: Callable[[str, Path, str], Path], fmu: Builder, tmp_path: Path,
    name: str, prefix: Path, model: str, fmi: str, exchange: bool,
) -> None:  # fmt: skip
    """They load the FMU without a message of their own or of the FMU, apart from known ones, and read the values of the
    plain importer.
    """
    require_version(prefix, name, fmi)
    binary = Binary(fmu(model, METHODS[model], "native", fmi), tmp_path)
    assert_same_bits(host(name, prefix, fmi), binary, exchange)


@EACH
@VERSIONS
def test_importers_take_long_names(
    host: Callable[[str, Path, str], Path], tmp_path: Path, name: str, prefix: Path, fmi: str
) -> None:
    """Names of 209 characters."""
    require_version(prefix, name, fmi)
    m = mbs.Model("long")
    body = m.body("b" * 200, joint=mbs.Revolute("z"), mass=1.0, com=(0.1, 0, 0), inertia=(0.1, 0.1, 0.1))
    m.output("b" * 209, mbs.rate(body), unit="rad/s")
    m.start(body, u=1.0)
    options = {"method": "rk4", "step": 1e-3, "stop_time": 1.0, "communication_step": TICK}
    path = mbs.export(m, tmp_path / "long.fmu", "native", fmi=fmi, platforms="host", reference=False, **options)
    assert_same_bits(host(name, prefix, fmi), Binary(path, tmp_path), False)
