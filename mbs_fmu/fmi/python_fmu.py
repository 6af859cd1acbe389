"""Writer of Python FMUs: an archive by pythonfmu with the slave script and the program as data."""

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

from ..infrastructure.errors import ModelError
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
    """Build the FMU with pythonfmu in a temporary folder, then repack it with `files` unchanged.

    `module` is the name of the slave script. It must be unique, because all FMUs of a process share one Python. `files`
    are contents by their paths in the archive.

    Raises ModelError if the installed pythonfmu has no compiled wrappers.
    """
    with tempfile.TemporaryDirectory(prefix="mbs_fmu_") as folder:
        work = Path(folder)
        for file, data in files.items():
            (work / file).parent.mkdir(parents=True, exist_ok=True)
            (work / file).write_bytes(data)
        script = work / f"{module}.py"
        script.write_text(SLAVE.format(name=name), encoding="utf-8")
        archive_path = _build(script, work, [work / file for file in files if file.startswith("resources/")])
        with zipfile.ZipFile(archive_path) as archive:
            contents = {name: archive.read(name) for name in archive.namelist()}
        if not any(file.startswith("binaries/") for file in contents):
            raise ModelError("pythonfmu has no compiled wrappers: pip install --force-reinstall pythonfmu")
        pack(path, {**contents, **files})


def _build(script: Path, work: Path, resources: list[Path]) -> Path:
    """Run pythonfmu's builder and return its archive; restores sys.path and sys.modules.

    FMUs contain a copy of pythonfmu without its compiled wrappers. In a process that has run an FMU, this copy may have
    been imported and deleted. So builder.HERE is set to the folder of the installed package.
    """
    path_before, modules_before, place_before = list(sys.path), set(sys.modules), builder.HERE
    builder.HERE = Path(str(distribution("pythonfmu").locate_file("pythonfmu")))
    importlib.invalidate_caches()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            archive: Path = builder.FmuBuilder.build_FMU(
                script, dest=work / "built.fmu", project_files=resources, needsExecutionTool=False
            )
            return archive
    finally:
        sys.path[:], builder.HERE = path_before, place_before
        for name in set(sys.modules) - modules_before:
            if name == script.stem:
                del sys.modules[name]
