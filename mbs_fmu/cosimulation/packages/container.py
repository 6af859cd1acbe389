"""Container FMUs: a system as one FMU for co-simulation, built by fmucontainer of the FMU manipulation toolbox."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...infrastructure.arguments import is_one_of
from ...infrastructure.disk.files import replacing
from ...infrastructure.errors import ArgumentError, ModelError
from ...infrastructure.messages.extras import install
from ...infrastructure.messages.failures import display
from ...infrastructure.progress import progress_notice
from ..order import label
from .structure import Structure, check_scalars, check_steps, connected_enumerations, transformations

VERSIONS = ("2.0", "3.0")
TOOLBOX = "fmu_manipulation_toolbox"
PROGRAM = f"from {TOOLBOX}.cli.fmucontainer import fmucontainer; fmucontainer()"
SETTINGS = {
    "auto_input": False, "auto_link": False, "auto_local": False, "auto_output": False, "auto_parameter": False,
    "sequential": False, "mt": False,
}  # fmt: skip


def write_container(structure: Structure, path: Path, version: str = "2.0") -> None:
    """Write an FMU that contains all FMUs, and steps and couples them with held inputs.

    version: of FMI. Its inputs are the inputs that nothing is connected to, its outputs those of the structure, all
    named "element.variable".

    Raises ArgumentError for a version that is neither "2.0" nor "3.0", and for systems with arrays, connections that
    change values, or FMUs without co-simulation; ModelError without fmucontainer, or if it refuses the system.
    """
    if not is_one_of(version, VERSIONS):
        raise ArgumentError(f"version is {display(version)}: a container FMU has FMI {' or '.join(VERSIONS)}")
    check_steps(structure)
    check_scalars(structure, "a container FMU")
    changed = [link for link, is_transformed in transformations(structure) if is_transformed]
    if changed:
        raise ArgumentError(
            f"{label(changed[0].target)!r} gets its value with a factor or an offset, which a container FMU does not "
            "apply: connect it without"
        )
    if importlib.util.find_spec(TOOLBOX) is None:
        raise ModelError(f"container FMUs need fmucontainer: {install('importers')}")
    with tempfile.TemporaryDirectory(prefix="mbs_fmu_container_") as temporary, progress_notice(
        structure.name, "building the container"
    ):  # fmt: skip
        folder = Path(temporary)
        files = part_files(structure, path.name)
        for name, description in structure.elements.items():
            shutil.copyfile(description.path, folder / files[name])
        text = json.dumps(assembly(structure, path.name, files))
        (folder / "system.json").write_text(text, encoding="utf-8")
        command = [sys.executable, "-c", PROGRAM, "-container", "system.json", "-fmi", version[0]]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode or not (folder / path.name).is_file():
            lines = (done.stdout + done.stderr).strip().splitlines()
            raise ModelError(f"fmucontainer refuses the system: {lines[-1] if lines else 'it gives no reason'}")
        with replacing(path) as beside:
            shutil.copyfile(folder / path.name, beside)


def unread(structure: Structure, version: str) -> Iterator[str]:
    """Yield what the container does not do."""
    found = connected_enumerations(structure)
    if found:
        yield f"the container passes the enumeration {found[0]!r} as an integer from 0, which its FMU may refuse"


def part_files(structure: Structure, container: str) -> dict[str, str]:
    """Return file names of the parts by element.

    fmucontainer names connected outputs after them, in the same way as outputs of the container are named here; so the
    names differ from those of the elements, and from the container's.
    """
    ending = "_part"
    while any(f"{name}{ending}.fmu" == container for name in structure.elements):
        ending += "_"
    return {name: f"{name}{ending}.fmu" for name in structure.elements}


def assembly(structure: Structure, container: str, files: Mapping[str, str]) -> dict[str, Any]:
    """Return the description of a container for fmucontainer, with the file of each element's FMU."""
    linked = {label(link.target) for link in structure.links}
    free = [
        (name, v.name) for name, d in structure.elements.items() for v in d.variables.values()
        if v.causality == "input" and f"{name}.{v.name}" not in linked
    ]  # fmt: skip
    return {
        "name": container,
        "fmu": list(files.values()),
        "step_size": structure.step,
        "link": [[files[a], x.name, files[b], y.name] for (a, x), (b, y), *_ in structure.links],
        "input": [[f"{name}.{v}", files[name], v] for name, v in free],
        "output": [[files[name], slot.name, f"{name}.{slot.name}"] for name, slot in structure.outputs],
        "start": [[files[name], slot.name, x] for name, pairs in structure.start.items() for slot, x in pairs],
        **SETTINGS,
    }
