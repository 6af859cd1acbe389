"""Simulation of an FMU in a child process, so that a crash of its library does not end the caller.

A truncated library ends its process by SIGBUS when it is loaded; a damaged one can have any effect.
"""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ..infrastructure.disk.files import replacing
from ..infrastructure.errors import one_line
from ..run.errors import SimulationError
from .unpacking import unpack

CODE = """import json, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends the child silently: the caller reports it
sys.path[:] = json.loads(sys.argv[1])
from mbs_fmu.fmi.child import main
main()"""
RESULT, FAULT = "result.npy", "fault.txt"  #: files of the child, which writes one of them


def simulate_in_child(path: Path, times: np.ndarray, outputs: Sequence[str]) -> np.ndarray:
    """Return the structured array of fmpy's `simulate_fmu` for equidistant times.

    Raises SimulationError if the FMU fails or ends its process without a result, and the ModelError of `unpack`.
    """
    with tempfile.TemporaryDirectory(prefix="mbs_fmu_", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        unpack(path, folder / "fmu")
        arguments = {
            "filename": str(folder / "fmu"), "start_time": float(times[0]), "stop_time": float(times[-1]),
            "output_interval": float(times[1] - times[0]), "output": list(outputs),
        }  # fmt: skip
        command = [sys.executable, "-c", CODE, json.dumps(sys.path), json.dumps(arguments), str(folder)]
        code = subprocess.run(command, check=False).returncode
        if (folder / RESULT).is_file():
            rows: np.ndarray = np.load(folder / RESULT)
            return rows
        if (folder / FAULT).is_file():
            raise SimulationError(f"{path.name} failed in its run: {(folder / FAULT).read_text(encoding='utf-8')}")
    raise SimulationError(
        f"{path.name} ended the process that ran it, {_exit_text(code)}: its library may be cut short or damaged; get "
        "or export the FMU again"
    )


def _exit_text(code: int) -> str:
    """Return the reason why a process ended, from its return code."""
    with contextlib.suppress(ValueError):
        if code < 0:
            return f"by {signal.Signals(-code).name}"
    return f"with exit code {code:#x}" if abs(code) > 255 else f"with exit code {code}"  # faults on Windows


def main() -> None:
    """Simulate in the child, as the command line specifies; write the rows, or one line about the fault."""
    from fmpy import simulate_fmu

    arguments, folder = json.loads(sys.argv[2]), Path(sys.argv[3])
    try:
        with replacing(folder / RESULT) as beside:
            np.save(beside, simulate_fmu(**arguments))
    except Exception as error:
        (folder / FAULT).write_text(one_line(error), encoding="utf-8")
