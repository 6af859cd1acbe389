"""`export`: a model to an FMU file."""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
import warnings
import zipfile
from pathlib import Path
from xml.etree import ElementTree as ET

from pythonfmu.builder import FmuBuilder

from ..compile.program import Program
from ..errors import ModelError
from ..model.model import Model
from ..results import Result
from ..simulate import _method, _positive, compiled, simulate
from .description import Experiment, description_xml, guid, to_text
from .documentation import index_html

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
EPOCH = (1980, 1, 1, 0, 0, 0)  #: time stamp of every file, so that the same model gives the same bytes


def export(
    model: Model,
    path: str | Path,
    kind: str = "python",
    *,
    fmi: str = "2.0",
    method: str = "dopri5",
    step: float | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    stop_time: float = 10.0,
    communication_step: float | None = None,
    reference: bool = True,
) -> Path:
    """Write the model as an FMU and return its path.

    kind: "python", an FMI 2.0 co-simulation FMU that runs wherever Python has mbs_fmu. method, step, rtol, atol:
    how the FMU integrates inside a communication step, as in `simulate`. stop_time, communication_step (s,
    default a 1000th of stop_time): defaults for the importer. With `reference`, a run of `simulate` with the
    inputs at their start values is written beside the FMU as <name>_ref.csv.

    Raises ModelError for a model or an argument that is not usable.
    """
    if kind != "python":
        raise ModelError(f'unknown kind of FMU {kind!r}: use "python"')
    if fmi != "2.0":
        raise ModelError(f'FMUs of kind "python" are FMI 2.0: fmi is {fmi!r}')
    path = Path(path)
    if path.suffix != ".fmu":
        raise ModelError(f"{str(path)!r} must end in .fmu")
    _method(method, step, rtol, atol)
    _positive(stop_time, "stop_time")
    communication = stop_time / 1000
    if communication_step is not None:
        communication = _positive(communication_step, "communication_step")
    relative = 1e-6 if rtol is None else rtol
    absolute = 0.01 * relative if atol is None else atol
    experiment = Experiment(stop_time, communication, method, step or 0.0, relative, absolute)
    program = compiled(model).program
    result = _reference(model, experiment)
    path.parent.mkdir(parents=True, exist_ok=True)
    _build(program, experiment, result, path)
    if reference:
        result.to_csv(path.with_name(f"{program.name}_ref.csv"))
    return path


def _reference(model: Model, experiment: Experiment) -> Result:
    """A run with the inputs at their start values: it also proves that the model starts."""
    settings = {"step": experiment.step} if experiment.step else {"rtol": experiment.rtol, "atol": experiment.atol}
    return simulate(
        model,
        experiment.stop_time,
        inputs={name: i.start for name, i in model.inputs.items()},
        method=experiment.method,
        output_interval=experiment.communication_step,
        **settings,  # type: ignore[arg-type]
    )


def _build(program: Program, experiment: Experiment, result: Result, path: Path) -> None:
    """Let pythonfmu make the FMU in a temporary folder, then pack it again without time stamps."""
    from .. import __version__

    module = f"{program.name}_{guid(program, experiment)[1:9]}"
    with tempfile.TemporaryDirectory(prefix="mbs_fmu_") as folder:
        work = Path(folder)
        description = description_xml(program, experiment, __version__)
        files = {
            "program.json": program.to_json(),
            "kernels.txt": program.text,
            "description.xml": to_text(description),
            "integration.xml": _integration(experiment),
        }
        for name, text in files.items():
            (work / name).write_text(text, encoding="utf-8")
        script = work / f"{module}.py"
        script.write_text(SLAVE.format(name=program.name), encoding="utf-8")
        pages = work / "documentation"
        pages.mkdir()
        (pages / "index.html").write_text(index_html(program, experiment, result), encoding="utf-8")
        built = _pythonfmu(script, work, [work / name for name in files], pages)
        _repack(built, path, to_text(description))


def _integration(experiment: Experiment) -> str:
    element = ET.Element("integration", {key: str(value) for key, value in vars(experiment).items()})
    return ET.tostring(element, encoding="unicode")


def _pythonfmu(script: Path, work: Path, files: list[Path], pages: Path) -> Path:
    """pythonfmu's own builder; leaves no trace in the running interpreter."""
    path_before, modules_before = list(sys.path), set(sys.modules)
    importlib.invalidate_caches()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return FmuBuilder.build_FMU(
                script,
                dest=work / "built.fmu",
                project_files=files,
                documentation_folder=pages,
                needsExecutionTool=False,
            )
    finally:
        sys.path[:] = path_before
        for name in set(sys.modules) - modules_before:
            if name == script.stem:
                del sys.modules[name]


def _repack(built: Path, path: Path, description: str) -> None:
    """The same archive, sorted, with fixed time stamps and our own description to the letter."""
    handle, name = tempfile.mkstemp(suffix=".tmp", dir=path.parent)  # its own, should two processes export at once
    os.close(handle)
    temporary = Path(name)
    with zipfile.ZipFile(built) as source, zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as target:
        for name in sorted(source.namelist()):
            data = description.encode() if name == "modelDescription.xml" else source.read(name)
            info = zipfile.ZipInfo(name, EPOCH)
            info.external_attr = 0o644 << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(info, data)
    temporary.chmod(0o644)
    temporary.replace(path)
