"""First use: processor time of a fresh process, from its start to the result of one run."""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
from pathlib import Path

from ..report import progress
from .compare import Comparison
from .data import Setting, System
from .measure import Measured
from .programs import OURS, START, Interpreters, command, environment

COLD, KEPT = "cold", "kept"  #: without any compiled code, and with that of an earlier process
SYSTEMS = "chain", "ur5", "four_bar"
LEVEL = 1e-4  #: m, error of the run at most
CACHE = "first-cache"


def first_use(found: Measured, interpreters: Interpreters, folder: Path, rounds: int) -> dict[str, float]:
    """Seconds by program; of this package by program and state of the cache.

    Each program has its cheapest setting with an error of at most `LEVEL`; without one it is left out.
    """
    progress(f"{found.system.name}: first use")
    comparison = Comparison(found)
    settings = {name: comparison.cheapest(name, LEVEL) for name in found.versions}
    seconds: dict[str, list[float]] = {}
    for turn in range(rounds + 1):  # the very first writes byte code
        for program, setting in settings.items():
            for state in (COLD, KEPT) if program == OURS else ("",):
                if state == COLD:
                    shutil.rmtree(folder / CACHE, ignore_errors=True)
                time = None if setting is None else _of_process(program, setting, found.system, interpreters, folder)
                if time is not None and turn:
                    seconds.setdefault(f"{program} {state}".strip(), []).append(time)
    return {name: statistics.median(values) for name, values in seconds.items()}


def _of_process(
    program: str, setting: Setting, system: System, interpreters: Interpreters, folder: Path
) -> float | None:
    """Processor time of a process; None if it fails."""
    request = json.dumps({"system": system.to_json(), "run": setting.to_json()})
    try:
        done = subprocess.run(
            command(interpreters.of(program), program, "first"), input=f"{request}\n", cwd=folder, text=True,
            env=environment(program, folder / CACHE, full=False), capture_output=True, timeout=START, check=True,
        )  # fmt: skip
    except subprocess.SubprocessError as failed:
        progress(f"first use of {program}: {failed}")
        return None
    return float(done.stdout)
