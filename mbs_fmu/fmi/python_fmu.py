"""A Python FMU: pythonfmu's archive around the slave script and the program as data."""

from __future__ import annotations

import importlib
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Mapping
from importlib.metadata import distribution
from pathlib import Path

from pythonfmu import builder

from ..errors import ModelError
from .packing import pack

SLAVE = '''\
"""Slave of the FMU {name}; made by mbs_fmu, which must be installed where the FMU runs."""

import ctypes
import sys

try:
    from mbs_fmu.fmi.python_slave import ModelSlave as Fmi2Slave
except ImportError as error:
    print(f"FMU {name}: {{error}}; it needs the package mbs-fmu in {{sys.executable}}", file=sys.stderr)
    raise

# pythonfmu's wrapper evaluates this file for every instance and gives up one reference too many to this
# module's namespace each time; without this line a later garbage collection crashes the host.
ctypes.pythonapi.Py_IncRef(ctypes.py_object(globals()))


class {name}(Fmi2Slave):
    """The compiled model in this folder."""
'''


def write_python(path: Path, name: str, module: str, files: Mapping[str, bytes]) -> None:
    """Let pythonfmu make the FMU in a temporary folder, then pack it again with our own files to the letter.

    `module` is the name of the slave script: unique, since all FMUs of a process share one Python. Raises ModelError
    where it has no compiled wrappers.
    """
    with tempfile.TemporaryDirectory(prefix="mbs_fmu_") as folder:
        work = Path(folder)
        for place, data in files.items():
            (work / place).parent.mkdir(parents=True, exist_ok=True)
            (work / place).write_bytes(data)
        script = work / f"{module}.py"
        script.write_text(SLAVE.format(name=name), encoding="utf-8")
        built = _pythonfmu(script, work, [work / place for place in files if place.startswith("resources/")])
        with zipfile.ZipFile(built) as archive:
            made = {name: archive.read(name) for name in archive.namelist()}
        if not any(place.startswith("binaries/") for place in made):
            raise ModelError("pythonfmu has no compiled wrappers: pip install --force-reinstall pythonfmu")
        pack(path, {**made, **files})


def _pythonfmu(script: Path, work: Path, resources: list[Path]) -> Path:
    """pythonfmu's own builder; leaves no trace in the running interpreter.

    FMUs carry a copy of pythonfmu without its compiled wrappers. In a process that has run one, that copy may be the
    one in use, and gone from the disk: so the builder is told where the installed one has its files.
    """
    path_before, modules_before, place_before = list(sys.path), set(sys.modules), builder.HERE
    builder.HERE = Path(str(distribution("pythonfmu").locate_file("pythonfmu")))
    importlib.invalidate_caches()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            built: Path = builder.FmuBuilder.build_FMU(
                script, dest=work / "built.fmu", project_files=resources, needsExecutionTool=False
            )
            return built
    finally:
        sys.path[:], builder.HERE = path_before, place_before
        for name in set(sys.modules) - modules_before:
            if name == script.stem:
                del sys.modules[name]
