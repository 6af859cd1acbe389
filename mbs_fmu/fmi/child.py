"""An FMU simulated in a process of its own: whatever its library does to that process, the caller goes on.

A library that is cut short ends its process by SIGBUS when it is loaded; a damaged one may do anything.
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

from ..disk.files import replacing
from ..errors import SimulationError, one_line
from .unpacking import unpack

CODE = """import json, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends it without a word: the caller has one
sys.path[:] = json.loads(sys.argv[1])
from mbs_fmu.fmi.child import main
main()"""
RESULT, FAULT = "result.npy", "fault.txt"  #: one of them is what the child leaves


def simulated(path: Path, times: np.ndarray, outputs: Sequence[str]) -> np.ndarray:
    """The rows of fmpy's `simulate_fmu`, over equal steps.

    Raises SimulationError where the FMU fails, or ends the process before it has a result; ModelError as `unpack`.
    """
    with tempfile.TemporaryDirectory(prefix="mbs_fmu_", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        unpack(path, folder / "fmu")
        told = {
            "filename": str(folder / "fmu"), "start_time": float(times[0]), "stop_time": float(times[-1]),
            "output_interval": float(times[1] - times[0]), "output": list(outputs),
        }  # fmt: skip
        command = [sys.executable, "-c", CODE, json.dumps(sys.path), json.dumps(told), str(folder)]
        code = subprocess.run(command, check=False).returncode
        if (folder / RESULT).is_file():
            found: np.ndarray = np.load(folder / RESULT)
            return found
        if (folder / FAULT).is_file():
            raise SimulationError(f"{path.name} failed in its run: {(folder / FAULT).read_text(encoding='utf-8')}")
    raise SimulationError(
        f"{path.name} ended the process that ran it, {_ended(code)}: its library may be cut short or damaged; get or "
        "export the FMU again"
    )


def _ended(code: int) -> str:
    """How a process with this return code came to its end."""
    with contextlib.suppress(ValueError):
        if code < 0:
            return f"by {signal.Signals(-code).name}"
    return f"with exit code {code:#x}" if abs(code) > 255 else f"with exit code {code}"  # Windows has faults as codes


def main() -> None:
    """Simulate by the arguments of the command line, in the child; leave the rows, or one line about the fault."""
    from fmpy import simulate_fmu

    told, folder = json.loads(sys.argv[2]), Path(sys.argv[3])
    try:
        with replacing(folder / RESULT) as beside:
            np.save(beside, simulate_fmu(**told))
    except Exception as error:
        (folder / FAULT).write_text(one_line(error), encoding="utf-8")
