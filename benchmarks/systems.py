"""Communication steps of coupled FMUs: the governor with its regulators, by `mbs.System`."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

import numpy as np

import mbs_fmu as mbs
from mbs_fmu.run.bundled import bundled_model

from .report import number, progress, table
from .timing import Effort, Run, calls, interleaved

STEP, COUNT = 0.01, 500
REGULATORS = {
    "proportional": ("speed_regulator", "speed_regulator"), "PI": ("speed_regulator", "pi_speed_regulator"),
    "digital": ("governor", "digital_regulator"),
}  # fmt: skip
COUPLINGS = ("hold", "extrapolate", "iterate")
EXPLANATION = f"""\
Microseconds of a communication step of {STEP:g} s of the native governor with a native regulator, both with steps of
0.5 ms (rk4), by `mbs.System`, without the time to load the FMUs; medians of interleaved repeats of {COUNT} steps. The
FMUs themselves take some 20 us of each."""


def section(effort: Effort) -> str:
    """Report section."""
    return "\n\n".join(["## Systems of FMUs", _measured(effort) if hasattr(mbs, "System") else "Not available."])


def _measured(effort: Effort) -> str:
    progress("systems of FMUs")
    runs: dict[tuple[str, str], Run] = {}
    with tempfile.TemporaryDirectory() as folder:
        plant = _exported("governor", "governor", Path(folder))
        for name, (file, function) in REGULATORS.items():
            s = mbs.System()
            s.add("governor", plant)
            s.add("regulator", _exported(file, function, Path(folder)))
            s.connect("governor.speed", "regulator.speed")
            s.connect("regulator.torque", "governor.torque")
            for coupling in COUPLINGS:
                runs[name, coupling] = calls(partial(s.run, COUNT * STEP, STEP, coupling=coupling))
            runs[name, "start"] = calls(partial(s.run, STEP, STEP))
        seconds = interleaved(runs, effort)
    rows = [
        [name, *(number(1e6 * float(np.median(seconds[name, c] - seconds[name, "start"])) / COUNT) for c in COUPLINGS)]
        for name in REGULATORS
    ]
    return "\n\n".join([EXPLANATION, table(["regulator", *COUPLINGS], rows)])


def _exported(file: str, function: str, folder: Path) -> Path:
    model, path = bundled_model(file, function), folder / f"{function}.fmu"
    return mbs.export(model, path, "native", platforms="host", reference=False, method="rk4", step=5e-4)
